#include "characters.h"

#include <array>

namespace pelt::assets {
namespace {

constexpr std::array kCharacters{
    BundledCharacter{.name = "mannequin", .make = make_mannequin},
    BundledCharacter{.name = "cylinder", .make = make_cylinder},
    BundledCharacter{.name = "elbow", .make = make_elbow},
    BundledCharacter{.name = "tube", .make = make_tube},
    BundledCharacter{.name = "centipede", .make = make_centipede},
    BundledCharacter{.name = "robot", .make = make_robot},
};

}  // namespace

std::span<const BundledCharacter> bundled_characters() {
  return kCharacters;
}

}  // namespace pelt::assets
