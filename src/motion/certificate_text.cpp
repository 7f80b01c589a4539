// Certificates in words and as JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "motion/certificate.h"

namespace pelt::motion {
namespace {

using CertificateJson = nlohmann::ordered_json;

CertificateJson angles_json(const LimbError& error) {
  return {{"mean_degrees", error.mean}, {"p95_degrees", error.p95}, {"max_degrees", error.max}};
}

CertificateJson slide_json(const SlideReport& report) {
  return {{"contacts", report.contacts}, {"mean", report.mean}, {"max", report.max}};
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMostListed = 6;
  std::string out;
  for (std::size_t n = 0; n < std::min(names.size(), kMostListed); ++n) {
    out += (n > 0 ? ", " : "") + printable(names[n], 60);
  }
  return names.size() > kMostListed ? fmt::format("{} and {} more", out, names.size() - kMostListed) : out;
}

}  // namespace

std::string to_json(const Certificate& certificate) {
  CertificateJson limbs = CertificateJson::object();
  for (const LimbError& limb : certificate.limbs) {
    limbs[limb.limb] = angles_json(limb);
  }
  const CertificateJson json = {
      {"frames", certificate.frames},
      {"duration", certificate.duration},
      {"leg_length", certificate.leg},
      {"root_factor", certificate.size},
      {"stride_factor", certificate.stride},
      {"root_lowered", certificate.sunk},
      {"limb_error", angles_json(certificate.all)},
      {"limbs", limbs},
      {"slide",
       {{"ankles", slide_json(certificate.ankles)},
        {"toes", slide_json(certificate.toes)},
        {"max_over_leg", certificate.slide_share()}}},
      {"ground_penetration", {{"max", certificate.penetration}, {"frames", certificate.penetrating_frames}}},
      {"limit_hits", {{"count", certificate.limit_hits}, {"joints", certificate.limited}}},
      {"jumps", {{"count", certificate.jumps}, {"joints", certificate.jumping}}},
      {"unmapped", {{"character", certificate.unmapped_target}, {"motion", certificate.unmapped_source}}}};
  return json.dump(2, ' ', false, CertificateJson::error_handler_t::replace);
}

std::string summary_text(const Certificate& certificate) {
  const auto millimetres = [](double metres) { return fmt::format("{:.1f} mm", 1000 * metres); };
  std::string out = fmt::format("  {} frames, {:.2f} s; the root's way times {:.4f}\n", certificate.frames,
                                certificate.duration, certificate.size);
  out += fmt::format("  limb directions: mean {:.3f}, p95 {:.3f}, most {:.3f} degrees\n", certificate.all.mean,
                     certificate.all.p95, certificate.all.max);
  const int contacts = certificate.ankles.contacts + certificate.toes.contacts;
  if (certificate.leg > 0 && contacts == 0) {
    out += fmt::format("  feet never stand still; {} below the ground\n", millimetres(certificate.penetration));
  } else if (certificate.leg > 0) {
    out += fmt::format("  feet slide at most {} ({:.2f} % of the leg) in {} contact(s); {} below the ground\n",
                       millimetres(std::max(certificate.ankles.max, certificate.toes.max)),
                       100 * certificate.slide_share(), contacts, millimetres(certificate.penetration));
  }
  if (certificate.sunk > 0) {
    out += fmt::format("  the root comes down by at most {} so that legs reach held feet\n",
                       millimetres(certificate.sunk));
  }
  if (certificate.limit_hits > 0) {
    out += fmt::format("  beyond limits {} time(s): {}\n", certificate.limit_hits, list_of(certificate.limited));
  }
  if (certificate.jumps > 0) {
    out += fmt::format("  jumps {} time(s): {}\n", certificate.jumps, list_of(certificate.jumping));
  }
  if (!certificate.unmapped_target.empty()) {
    out += fmt::format("  at rest, since nothing moves them: {}\n", list_of(certificate.unmapped_target));
  }
  if (!certificate.unmapped_source.empty()) {
    out += fmt::format("  of the motion not used: {}\n", list_of(certificate.unmapped_source));
  }
  return out;
}

}  // namespace pelt::motion
