#include "core/guarded_json.h"

namespace pelt {

Status check_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return error("JSON: expected at most {} bytes, got {}", limits.bytes, text.size());
  }
  std::size_t depth = 0;
  std::size_t values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 1 : 0;  // what is escaped ends no string
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > limits.depth) {
        return error("JSON: nested deeper than {} levels at byte {}", limits.depth, i + 1);
      }
      ++values;
    } else if (c == ']' || c == '}') {
      depth -= depth > 0 ? 1 : 0;
    } else if (c == ',' && ++values > limits.values) {
      return error("JSON: more than {} values", limits.values);
    }
  }
  return {};
}

}  // namespace pelt
