#include "core/version.h"

namespace pelt {

std::string_view version() {
  return PELT_VERSION;
}

std::string_view description() {
  return PELT_DESCRIPTION;
}

}  // namespace pelt
