// The head: six of them make the figure. A smooth egg with little more than eyes, brows, a button of a nose and a
// mouth, under a cap of hair.
#include <array>

#include "humanoid.h"
#include "humanoid_features.h"

namespace pelt::assets {
namespace {

using glm::dmat3;
using glm::dvec2;
using glm::dvec3;

dmat3 head_turned(const dvec3& axis, double degrees) {
  return dmat3(glm::mat3_cast(glm::angleAxis(glm::radians(degrees), glm::normalize(axis))));
}

/// Depth of the surface so far, at x and y seen from the front.
double front_at(const Body& body, const dvec2& p) {
  double z = 0.16;
  for (int i = 0; i < 60; ++i) {
    z -= 0.9 * body({p.x, p.y, z});
  }
  return z;
}

void add_face(Body& body) {
  using namespace features;
  // Nose.
  body.add(Ellipsoid{{0, 1.6190, front_at(body, {0, 1.6190}) - 0.0010}, dmat3(1.0), {0.0125, 0.0110, 0.0125}}, 0.014,
           kHead);
  // Eyes stand out a little, so that they catch the light.
  const double eye = front_at(body, kEye);
  body.add_both(Ellipsoid{{kEye.x, kEye.y, eye - 0.0125}, head_turned({0, 1, 0}, 20), {0.0185, 0.0245, 0.0165}}, 0.006,
                kHead, kMirror);
  // Brows.
  const auto on_brow = [&](double x) {
    const dvec2 p(x, brow_height(x));
    return dvec3(p, front_at(body, p) - 0.0026);
  };
  const std::array<dvec3, 3> brow = {on_brow(kBrowInner), on_brow(0.0440), on_brow(kBrowOuter)};
  for (std::size_t i = 0; i + 1 < brow.size(); ++i) {
    body.add_both(RoundCone{brow[i], brow[i + 1], 0.0044, i == 0 ? 0.0046 : 0.0036}, 0.004, kHead, kMirror);
  }
  // The mouth is a shallow groove.
  const auto on_mouth = [&](double x) {
    const dvec2 p(x, mouth_height(x));
    return dvec3(p, front_at(body, p) + 0.0016);
  };
  const std::array<dvec3, 3> mouth = {on_mouth(0), on_mouth(0.5 * kMouthHalfWidth), on_mouth(kMouthHalfWidth)};
  for (std::size_t i = 0; i + 1 < mouth.size(); ++i) {
    body.add_both(RoundCone{mouth[i], mouth[i + 1], 0.0026, 0.0026}, 0.006, kHead, kMirror, Blend::kSubtract);
  }
}

}  // namespace

void add_humanoid_head(Body& body) {
  using namespace features;
  // Skull, jaw, cheeks, chin.
  body.add(Ellipsoid{{0, 1.6900, -0.0120}, dmat3(1.0), {0.1100, 0.1150, 0.1200}}, 0.025, kHead);
  body.add(Ellipsoid{{0, 1.6120, 0.0130}, dmat3(1.0), {0.0900, 0.0880, 0.0890}}, 0.060, kHead);
  body.add_both(Ellipsoid{{0.0480, 1.6030, 0.0480}, dmat3(1.0), {0.0400, 0.0380, 0.0420}}, 0.050, kHead, kMirror);
  body.add(Ellipsoid{{0, 1.5480, 0.0600}, dmat3(1.0), {0.0300, 0.0260, 0.0280}}, 0.050, kHead);
  // Ears.
  const dmat3 ear = head_turned({0, 1, 0}, -18) * head_turned({1, 0, 0}, -10);
  body.add_both(Ellipsoid{{0.1080, 1.6270, -0.0100}, ear, {0.0120, 0.0270, 0.0190}}, 0.010, kHead, kMirror);
  body.add_both(Ellipsoid{{0.1220, 1.6290, -0.0050}, ear, {0.0085, 0.0160, 0.0105}}, 0.010, kHead, kMirror,
                Blend::kSubtract);
  add_face(body);
  // Hair: a cap with a soft front.
  body.add(Cap{{{0, 1.7020, -0.0200}, dmat3(1.0), {0.1190, 0.1240, 0.1300}}, {kHairPoint, -kHairUp}, 0.0060}, 0.010,
           kHead);
  body.add(Ellipsoid{{0, 1.7900, 0.0500}, head_turned({1, 0, 0}, 24), {0.0820, 0.0400, 0.0660}}, 0.030, kHead);
}

}  // namespace pelt::assets
