// The numbers in accessors.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/index.h"
#include "core/text.h"
#include "gltf/conformance_checks.h"

namespace pelt::gltf {
namespace {

constexpr double kUnitVector = 0.00674;   // what 8-bit normals may be off
constexpr double kWeightRounding = 2e-7;  // per weight of a vertex that is not 0
constexpr std::size_t kFreeElements = std::size_t{8} << 20;
constexpr std::size_t kElementsPerByte = 32;

/// Reads elements, within a budget for the whole file.
class StoredNumbers {
 public:
  explicit StoredNumbers(const Conformance& check)
      : check_(check), budget_(kFreeElements + kElementsPerByte * check.input.bytes.size()) {
    for (const std::span<const std::uint8_t> buffer : check.input.buffers) {
      budget_ += kElementsPerByte * buffer.size();
    }
    left_ = budget_;
  }
  [[nodiscard]] std::size_t budget() const { return budget_; }
  /// Whether an accessor was not read because of the budget.
  [[nodiscard]] bool is_spent() const { return is_spent_; }

  /// All components of an accessor, as stored; nothing where its bytes are not there or its layout is wrong.
  std::optional<std::vector<double>> read(const FileJson* accessor);
  /// The elements that a sparse accessor replaces.
  std::optional<std::vector<std::int64_t>> sparse_indices(const FileJson& sparse);

 private:
  /// Bytes of a buffer view that has so many from `offset` on; nothing where it has not.
  [[nodiscard]] std::optional<std::span<const std::uint8_t>> bytes(std::int64_t view, std::int64_t offset,
                                                                   std::int64_t component_size,
                                                                   std::int64_t length) const;
  static double number_at(const std::uint8_t* at, std::int64_t component_type);

  [[nodiscard]] bool take(std::size_t count) {
    const bool enough = count <= left_;
    left_ -= enough ? count : 0;
    is_spent_ = is_spent_ || !enough;
    return enough;
  }

  const Conformance& check_;
  std::size_t budget_;
  std::size_t left_ = 0;
  bool is_spent_ = false;
};

double StoredNumbers::number_at(const std::uint8_t* at, std::int64_t component_type) {
  const auto as = [at](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return static_cast<double>(value);
  };
  switch (component_type) {
    case 5120:
      return as(std::int8_t{});
    case 5121:
      return as(std::uint8_t{});
    case 5122:
      return as(std::int16_t{});
    case 5123:
      return as(std::uint16_t{});
    case 5125:
      return as(std::uint32_t{});
    default:
      return as(float{});
  }
}

std::optional<std::span<const std::uint8_t>> StoredNumbers::bytes(std::int64_t view, std::int64_t offset,
                                                                  std::int64_t component_size,
                                                                  std::int64_t length) const {
  const FileJson* one = check_.item("bufferViews", view);
  const std::int64_t b = whole_member(one, "buffer");
  const FileJson* buffer = check_.item("buffers", b);
  if (buffer == nullptr || !has_index(check_.input.buffers, b) || !check_.input.buffer_problems[b].empty()) {
    return std::nullopt;
  }
  const std::span<const std::uint8_t> all = check_.input.buffers[b];
  const std::int64_t declared = whole_member(buffer, "byteLength");
  const std::int64_t begin = std::max<std::int64_t>(whole_member(one, "byteOffset"), 0);
  const std::int64_t size = whole_member(one, "byteLength");
  if (declared > static_cast<std::int64_t>(all.size()) || offset % component_size != 0 ||
      (begin + offset) % component_size != 0 || size < 1 || length > size - std::min(offset, size) ||
      begin + offset + length > static_cast<std::int64_t>(all.size())) {
    return std::nullopt;
  }
  return all.subspan(begin + offset, static_cast<std::size_t>(length));
}

std::optional<std::vector<std::int64_t>> StoredNumbers::sparse_indices(const FileJson& sparse) {
  const FileJson* from = object_member(&sparse, "indices");
  AccessorShape shape;
  shape.component_type = whole_member(from, "componentType");
  const std::int64_t count = whole_member(&sparse, "count");
  const std::int64_t size = shape.component_size();
  if (count < 1 || count > (std::int64_t{1} << 32) ||
      (shape.component_type != 5121 && shape.component_type != 5123 && shape.component_type != 5125)) {
    return std::nullopt;
  }
  const auto found = bytes(whole_member(from, "bufferView"),
                           std::max<std::int64_t>(whole_member(from, "byteOffset"), 0), size, count * size);
  if (!found || !take(static_cast<std::size_t>(count))) {
    return std::nullopt;
  }
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < count; ++i) {
    out.push_back(static_cast<std::int64_t>(number_at(found->data() + i * size, shape.component_type)));
  }
  return out;
}

std::optional<std::vector<double>> StoredNumbers::read(const FileJson* accessor) {
  const AccessorShape shape = accessor_shape(accessor);
  const FileJson* sparse = object_member(accessor, "sparse");
  const bool has_view = check_.item("bufferViews", shape.view) != nullptr;
  if (!shape.is_known() || (!has_view && sparse == nullptr)) {
    return std::nullopt;
  }
  if (shape.count > (std::int64_t{1} << 32)) {
    is_spent_ = is_spent_ || !has_view;  // no buffer holds so many
    return std::nullopt;
  }
  const std::int64_t components = shape.components();
  const std::size_t total = shape.count * components;
  std::vector<double> out;
  if (has_view) {
    const std::int64_t given = whole_member(check_.item("bufferViews", shape.view), "byteStride");
    if (given > kLargestStride) {
      return std::nullopt;
    }
    const std::int64_t stride = given > 0 ? given : shape.tight_stride();
    const auto found =
        bytes(shape.view, shape.offset, shape.component_size(), stride * (shape.count - 1) + shape.element_size());
    if (!found || stride < shape.element_size() || !take(total)) {
      return std::nullopt;
    }
    out.reserve(total);
    const std::int64_t rows = shape.type == "MAT2"   ? 2
                              : shape.type == "MAT3" ? 3
                              : shape.type == "MAT4" ? 4
                                                     : components;
    const std::int64_t column = shape.type.starts_with("MAT") ? shape.tight_stride() / rows : 0;
    for (std::int64_t i = 0; i < shape.count; ++i) {
      for (std::int64_t c = 0; c < components; ++c) {
        out.push_back(number_at(found->data() + i * stride + c / rows * column + c % rows * shape.component_size(),
                                shape.component_type));
      }
    }
  } else if (take(total)) {
    out.assign(total, 0.0);
  } else {
    return std::nullopt;
  }
  if (sparse != nullptr) {
    const FileJson* values = object_member(sparse, "values");
    const auto indices = sparse_indices(*sparse);
    if (!indices || static_cast<std::int64_t>(indices->size()) > shape.count) {
      return std::nullopt;
    }
    const std::int64_t size = shape.component_size();
    const auto found =
        bytes(whole_member(values, "bufferView"), std::max<std::int64_t>(whole_member(values, "byteOffset"), 0), size,
              static_cast<std::int64_t>(indices->size()) * components * size);
    if (!found) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < indices->size(); ++i) {
      for (std::int64_t c = 0; c < components && (*indices)[i] < shape.count; ++c) {
        out[(*indices)[i] * components + c] =
            number_at(found->data() + (static_cast<std::int64_t>(i) * components + c) * size, shape.component_type);
      }
    }
  }
  return out;
}

/// A stored component as the number it means.
double meant(double value, const AccessorShape& shape) {
  if (!shape.normalized || shape.component_type == 5126) {
    return value;
  }
  const bool is_signed = shape.component_type == 5120 || shape.component_type == 5122;
  const double most = std::exp2(static_cast<double>(8 * shape.component_size()) - (is_signed ? 1 : 0)) - 1;
  return is_signed ? std::max(value / most, -1.0) : value / most;
}

/// What an accessor's numbers are read as, and by whom.
struct Purpose {
  enum class Kind : std::uint8_t { kNormal, kTangent, kColor, kIndices, kTimes, kRotations, kCubicRotations, kBinds };
  Kind kind;
  std::string place;
  std::int64_t vertex_count = -1;  ///< of kIndices
};

class DataCheck {
 public:
  explicit DataCheck(Conformance& check) : check_(check), numbers_(check) {}

  void check() {
    find_purposes();
    for (std::size_t a = 0; a < check_.count("accessors"); ++a) {
      check_accessor(a);
    }
    check_influences();
    if (numbers_.is_spent()) {
      check_.tell_unchecked(
          fmt::format("its accessors have more than {} numbers, which is as many as are read of a "
                      "file of its size; what is in the others was not checked",
                      numbers_.budget()));
    }
  }

 private:
  void find_purposes();
  /// Each kind once for an accessor, whoever else reads it so: of indices for the fewest vertices.
  void add_purpose(std::int64_t accessor, Purpose purpose);
  void find_primitive_purposes(const FileJson& primitive, const std::string& place);
  void find_animation_purposes(const FileJson& animation, std::size_t a);
  void check_accessor(std::size_t a);
  void check_sparse(const FileJson& sparse, const AccessorShape& shape, const std::string& place);
  void check_bounds(const FileJson& accessor, const AccessorShape& shape, const std::vector<double>& values,
                    const std::string& place);
  void check_purpose(const Purpose& purpose, const AccessorShape& shape, const std::vector<double>& values);
  void check_lengths(const Purpose& purpose, const AccessorShape& shape, const std::vector<double>& values);
  void check_times(const Purpose& purpose, const std::vector<double>& values);
  void check_indices(const Purpose& purpose, const AccessorShape& shape, const std::vector<double>& values);
  void check_influences();
  void check_vertex_influences(const FileJson& primitive, std::int64_t joint_count, const std::string& place);

  Conformance& check_;
  StoredNumbers numbers_;
  std::map<std::int64_t, std::vector<Purpose>> purposes_;  ///< by accessor
};

void DataCheck::find_primitive_purposes(const FileJson& primitive, const std::string& place) {
  const FileJson* attributes = object_member(&primitive, "attributes");
  std::int64_t vertex_count = -1;
  for (const auto& [name, number] : object_or_empty(attributes).items()) {
    const std::int64_t a = whole(&number);
    const FileJson* accessor = check_.item("accessors", a);
    if (accessor == nullptr) {
      continue;
    }
    const AccessorShape shape = accessor_shape(accessor);
    vertex_count = vertex_count < 0 ? shape.count : vertex_count;
    // Forms that glTF does not allow are told as such.
    const bool is_unit = shape.component_type == 5126
                             ? !shape.normalized
                             : check_.uses("KHR_mesh_quantization") && shape.normalized &&
                                   (shape.component_type == 5120 || shape.component_type == 5122);
    if (name == "NORMAL" && shape.type == "VEC3" && is_unit) {
      add_purpose(a, {Purpose::Kind::kNormal, place});
    } else if (name == "TANGENT" && shape.type == "VEC4" && is_unit) {
      add_purpose(a, {Purpose::Kind::kTangent, place});
    } else if (name == "COLOR_0" && shape.component_type == 5126 && !shape.normalized &&
               (shape.type == "VEC3" || shape.type == "VEC4")) {
      add_purpose(a, {Purpose::Kind::kColor, place});
    }
  }
  const std::int64_t indices = whole_member(&primitive, "indices");
  const AccessorShape shape = accessor_shape(check_.item("accessors", indices));
  if (shape.type == "SCALAR" && !shape.normalized &&
      (shape.component_type == 5121 || shape.component_type == 5123 || shape.component_type == 5125)) {
    add_purpose(indices, {Purpose::Kind::kIndices, place, vertex_count});
  }
}

void DataCheck::find_animation_purposes(const FileJson& animation, std::size_t a) {
  const std::span<const FileJson> samplers = list_member(&animation, "samplers");
  const std::span<const FileJson> channels = list_member(&animation, "channels");
  if (samplers.empty() || channels.empty()) {
    return;
  }
  for (std::size_t s = 0; s < samplers.size(); ++s) {
    const std::int64_t input = whole_member(&samplers[s], "input");
    const AccessorShape shape = accessor_shape(check_.item("accessors", input));
    if (shape.type == "SCALAR" && shape.component_type == 5126 && !shape.normalized) {
      add_purpose(input, {Purpose::Kind::kTimes, fmt::format("animation {}, sampler {}", a, s)});
    }
  }
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const std::int64_t s = whole_member(&channels[c], "sampler");
    if (text_member(object_member(&channels[c], "target"), "path") != "rotation" || !has_index(samplers, s)) {
      continue;
    }
    const FileJson& sampler = samplers[s];
    const std::int64_t output = whole_member(&sampler, "output");
    if (accessor_shape(check_.item("accessors", output)).components() == 4) {
      const bool is_cubic = text_member(&sampler, "interpolation") == "CUBICSPLINE";
      add_purpose(output, {is_cubic ? Purpose::Kind::kCubicRotations : Purpose::Kind::kRotations,
                           fmt::format("animation {}, channel {}", a, c)});
    }
  }
}

void DataCheck::add_purpose(std::int64_t accessor, Purpose purpose) {
  std::vector<Purpose>& known = purposes_[accessor];
  const auto same = std::ranges::find(known, purpose.kind, &Purpose::kind);
  if (same == known.end()) {
    known.push_back(std::move(purpose));
  } else if (purpose.vertex_count < same->vertex_count) {
    *same = std::move(purpose);
  }
}

void DataCheck::find_purposes() {
  for (std::size_t m = 0; m < check_.count("meshes"); ++m) {
    std::size_t p = 0;
    for (const FileJson& primitive : list_member(check_.item("meshes", static_cast<std::int64_t>(m)), "primitives")) {
      find_primitive_purposes(primitive, fmt::format("{}, primitive {}", place_in("meshes", m), p++));
    }
  }
  for (std::size_t s = 0; s < check_.count("skins"); ++s) {
    const std::int64_t binds = whole_member(check_.item("skins", static_cast<std::int64_t>(s)), "inverseBindMatrices");
    const AccessorShape shape = accessor_shape(check_.item("accessors", binds));
    if (shape.type == "MAT4" && shape.component_type == 5126 && !shape.normalized) {
      add_purpose(binds, {Purpose::Kind::kBinds, place_in("skins", s)});
    }
  }
  for (std::size_t a = 0; a < check_.count("animations"); ++a) {
    if (const FileJson* animation = check_.item("animations", static_cast<std::int64_t>(a))) {
      find_animation_purposes(*animation, a);
    }
  }
}

void DataCheck::check_accessor(std::size_t a) {
  const FileJson* accessor = check_.item("accessors", static_cast<std::int64_t>(a));
  const AccessorShape shape = accessor_shape(accessor);
  const std::string place = place_in("accessors", a);
  if (accessor == nullptr || !shape.is_known()) {
    return;
  }
  if (const FileJson* sparse = object_member(accessor, "sparse")) {
    check_sparse(*sparse, shape, place);
  }
  const auto used = purposes_.find(static_cast<std::int64_t>(a));
  const bool is_float = shape.component_type == 5126;
  if (!is_float && used == purposes_.end() && !accessor->contains("min") && !accessor->contains("max")) {
    return;
  }
  const std::optional<std::vector<double>> values = numbers_.read(accessor);
  if (!values || values->empty()) {
    return;
  }
  if (is_float) {
    const auto odd = std::ranges::find_if(*values, [](double value) { return !std::isfinite(value); });
    if (odd != values->end()) {
      check_.tell("not-finite", place,
                  fmt::format("component {} is {}, expected finite numbers", odd - values->begin(), *odd));
    }
  }
  check_bounds(*accessor, shape, *values, place);
  if (used != purposes_.end()) {
    for (const Purpose& purpose : used->second) {
      check_purpose(purpose, shape, *values);
    }
  }
}

void DataCheck::check_sparse(const FileJson& sparse, const AccessorShape& shape, const std::string& place) {
  const auto indices = numbers_.sparse_indices(sparse);
  if (!indices) {
    return;
  }
  for (std::size_t i = 0; i < indices->size(); ++i) {
    const std::int64_t here = (*indices)[i];
    if (i > 0 && here <= (*indices)[i - 1]) {
      check_.tell("sparse", place,
                  fmt::format("sparse index {} is {}, expected more than the {} before", i, here, (*indices)[i - 1]));
      return;
    }
    if (here >= shape.count) {
      check_.tell("sparse", place,
                  fmt::format("sparse index {} is {}, expected less than the {} elements of the accessor", i, here,
                              shape.count));
      return;
    }
  }
}

void DataCheck::check_bounds(const FileJson& accessor, const AccessorShape& shape, const std::vector<double>& values,
                             const std::string& place) {
  const std::size_t components = shape.components();
  for (const bool is_max : {false, true}) {
    const std::span<const FileJson> given = list_member(&accessor, is_max ? "max" : "min");
    if (given.size() != components ||
        !std::ranges::all_of(given, [](const FileJson& one) { return one.is_number(); })) {
      continue;
    }
    for (std::size_t c = 0; c < components; ++c) {
      double actual = values[c];
      for (std::size_t i = c; i < values.size(); i += components) {
        if (is_max ? values[i] > actual : values[i] < actual) {
          actual = values[i];
        }
      }
      double declared = given[c].get<double>();
      if (shape.component_type == 5126) {
        declared = static_cast<double>(static_cast<float>(declared));
      }
      if (declared != actual) {
        check_.tell(
            "accessor-bounds", place,
            fmt::format("{} of component {} is {:.9g}, expected {:.9g}", is_max ? "max" : "min", c, declared, actual));
        break;
      }
    }
  }
}

void DataCheck::check_lengths(const Purpose& purpose, const AccessorShape& shape, const std::vector<double>& values) {
  using Kind = Purpose::Kind;
  const bool is_rotation = purpose.kind == Kind::kRotations || purpose.kind == Kind::kCubicRotations;
  const std::size_t width = purpose.kind == Kind::kNormal ? 3 : 4;
  const std::size_t counted = purpose.kind == Kind::kTangent ? 3 : width;
  std::size_t wrong = 0;
  std::size_t wrong_signs = 0;
  std::size_t total = 0;
  double worst = 1;
  for (std::size_t i = 0; i + width <= values.size(); i += width) {
    if (purpose.kind == Kind::kCubicRotations && i / width % 3 != 1) {
      continue;  // a tangent
    }
    ++total;
    double square = 0;
    for (std::size_t c = 0; c < counted; ++c) {
      const double value = meant(values[i + c], shape);
      square += value * value;
    }
    const double off = std::abs(std::sqrt(square) - 1);
    if (off > (is_rotation ? kUnitRotation : kUnitVector)) {
      ++wrong;
      worst = off > std::abs(worst - 1) ? std::sqrt(square) : worst;
    }
    const double sign = purpose.kind == Kind::kTangent ? meant(values[i + 3], shape) : 1;
    wrong_signs += sign != 1 && sign != -1 ? 1U : 0U;
  }
  const char* code = is_rotation ? "rotation-length" : purpose.kind == Kind::kNormal ? "normal-length" : "tangent";
  if (wrong > 0) {
    check_.tell(code, purpose.place,
                fmt::format("{} of {} {} are not of length 1, the worst {:.4g}", wrong, total,
                            is_rotation                     ? "rotation keys"
                            : purpose.kind == Kind::kNormal ? "normals"
                                                            : "tangents",
                            worst));
  }
  if (wrong_signs > 0) {
    check_.tell(code, purpose.place,
                fmt::format("{} of {} tangents have a sign other than 1 or -1", wrong_signs, total));
  }
}

void DataCheck::check_times(const Purpose& purpose, const std::vector<double>& values) {
  double last = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) {
      check_.tell("key-order", purpose.place, fmt::format("key {} is at {:.6g} s, expected 0 or later", i, values[i]));
      return;
    }
    if (i > 0 && values[i] <= last) {
      check_.tell(
          "key-order", purpose.place,
          fmt::format("key {} is at {:.6g} s, expected later than the {:.6g} s of the key before", i, values[i], last));
      return;
    }
    last = values[i];
  }
}

void DataCheck::check_indices(const Purpose& purpose, const AccessorShape& shape, const std::vector<double>& values) {
  const double restart = std::exp2(static_cast<double>(8 * shape.component_size())) - 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == restart) {
      check_.tell("index-value", purpose.place,
                  fmt::format("index {} is {}, which starts primitives anew in some software", i, values[i]));
      return;
    }
    // Without any vertex no index is right.
    if (values[i] > static_cast<double>(std::max<std::int64_t>(purpose.vertex_count, 0)) - 1) {
      check_.tell("index-value", purpose.place,
                  fmt::format("index {} is {}, expected less than the {} vertices", i, values[i],
                              std::max<std::int64_t>(purpose.vertex_count, 0)));
      return;
    }
  }
}

void DataCheck::check_purpose(const Purpose& purpose, const AccessorShape& shape, const std::vector<double>& values) {
  switch (purpose.kind) {
    case Purpose::Kind::kColor: {
      const auto odd = std::ranges::find_if(values, [](double value) { return value > 1 || value < 0; });
      if (odd != values.end()) {
        check_.tell("color-range", purpose.place,
                    fmt::format("COLOR_0: component {} is {:.6g}, expected 0 to 1", odd - values.begin(), *odd));
      }
      return;
    }
    case Purpose::Kind::kIndices:
      check_indices(purpose, shape, values);
      return;
    case Purpose::Kind::kTimes:
      check_times(purpose, values);
      return;
    case Purpose::Kind::kBinds:
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (i % 4 == 3 && values[i] != (i % 16 == 15 ? 1.0 : 0.0)) {
          check_.tell(
              "inverse-bind-row", purpose.place,
              fmt::format("inverse bind matrix {}: expected (0, 0, 0, 1) as its last row, got {:.9g} in column {}",
                          i / 16, values[i], i % 16 / 4));
          return;
        }
      }
      return;
    default:
      check_lengths(purpose, shape, values);
  }
}

void DataCheck::check_vertex_influences(const FileJson& primitive, std::int64_t joint_count, const std::string& place) {
  const FileJson* attributes = object_member(&primitive, "attributes");
  std::vector<std::vector<double>> joints;
  std::vector<std::vector<double>> weights;
  std::vector<AccessorShape> shapes;
  std::int64_t vertex_count = -1;
  for (const auto& [name, number] : object_or_empty(attributes).items()) {
    const FileJson* accessor = check_.item("accessors", whole(&number));
    if (accessor != nullptr && vertex_count < 0) {
      vertex_count = accessor_shape(accessor).count;
    }
  }
  for (std::size_t set = 0;; ++set) {
    const FileJson* joint = check_.item("accessors", whole_member(attributes, fmt::format("JOINTS_{}", set)));
    const FileJson* weight = check_.item("accessors", whole_member(attributes, fmt::format("WEIGHTS_{}", set)));
    if (joint == nullptr || weight == nullptr) {
      break;
    }
    const AccessorShape shape = accessor_shape(weight);
    const AccessorShape joint_shape = accessor_shape(joint);
    auto joint_values = numbers_.read(joint);
    auto weight_values = numbers_.read(weight);
    if (!joint_values || !weight_values || shape.count != vertex_count || joint_shape.count != vertex_count ||
        shape.components() != 4 || joint_shape.components() != 4) {
      return;
    }
    joints.push_back(*std::move(joint_values));
    weights.push_back(*std::move(weight_values));
    shapes.push_back(shape);
  }
  std::size_t wrong_sums = 0;
  std::size_t negative = 0;
  std::size_t beyond = 0;
  std::size_t repeated = 0;
  float worst = 1;
  std::vector<double> seen;
  for (std::size_t v = 0; v < static_cast<std::size_t>(std::max<std::int64_t>(vertex_count, 0)) && !joints.empty();
       ++v) {
    seen.clear();
    float sum = 0;  // in single precision, as software adds them
    double threshold = 0;
    for (std::size_t c = 0; c < 4; ++c) {
      for (std::size_t set = 0; set < joints.size(); ++set) {
        const double joint = joints[set][4 * v + c];
        // Whatever the accessor says: weights that are integers count as parts of 1.
        AccessorShape shape = shapes[set];
        shape.normalized = true;
        const double weight = meant(weights[set][4 * v + c], shape);
        if (joint >= static_cast<double>(joint_count)) {
          ++beyond;
          continue;
        }
        if (weight == 0) {
          continue;
        }
        const bool is_new = std::ranges::find(seen, joint) == seen.end();
        seen.push_back(joint);
        repeated += is_new ? 0U : 1U;
        if (weight < 0) {
          ++negative;
        } else if (is_new) {
          sum = static_cast<float>(static_cast<double>(sum) + weight);
          threshold += kWeightRounding;
        }
      }
    }
    if (std::abs(static_cast<double>(sum) - 1.0) > threshold) {
      ++wrong_sums;
      worst = std::abs(sum - 1) > std::abs(worst - 1) ? sum : worst;
    }
  }
  if (wrong_sums > 0) {
    check_.tell("weight-sum", place,
                fmt::format("the weights of {} of {} vertices do not sum to 1, the worst to {:.7g}", wrong_sums,
                            vertex_count, worst));
  }
  if (negative > 0) {
    check_.tell("weight-negative", place, fmt::format("{} weights are below 0", negative));
  }
  if (beyond > 0) {
    check_.tell(
        "joint-index", place,
        fmt::format("{} joints are beyond the {} that the skin has, with or without weight", beyond, joint_count));
  }
  if (repeated > 0) {
    check_.tell("duplicate-joint", place, fmt::format("{} joints have weight twice in one vertex", repeated));
  }
}

void DataCheck::check_influences() {
  std::map<std::int64_t, std::int64_t> joint_count;  // by mesh: of the smallest skin that shows it
  for (const FileJson& node : list_member(&check_.file, "nodes")) {
    const auto joints =
        static_cast<std::int64_t>(list_member(check_.item("skins", whole_member(&node, "skin")), "joints").size());
    if (joints > 0) {
      const auto [known, is_new] = joint_count.try_emplace(whole_member(&node, "mesh"), joints);
      known->second = std::min(known->second, joints);
    }
  }
  for (const auto& [m, joints] : joint_count) {
    std::size_t p = 0;
    for (const FileJson& primitive : list_member(check_.item("meshes", m), "primitives")) {
      check_vertex_influences(primitive, joints,
                              fmt::format("{}, primitive {}", place_in("meshes", static_cast<std::size_t>(m)), p++));
    }
  }
}

}  // namespace

void check_data(Conformance& check) {
  DataCheck(check).check();
}

}  // namespace pelt::gltf
