#include "mesh/adjacency.h"

#include <gmock/gmock.h>

namespace pelt::mesh {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Adjacency, TwoTrianglesAndAStrayVertex) {
  // 3---2
  // | / |
  // 0---1    4
  const std::uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
  const Adjacency adjacency = make_adjacency(5, triangles);
  ASSERT_EQ(adjacency.vertex_count(), 5u);
  EXPECT_THAT(adjacency.neighbors(0), ElementsAre(1, 2, 3));
  EXPECT_THAT(adjacency.neighbors(1), ElementsAre(0, 2));
  EXPECT_THAT(adjacency.neighbors(2), ElementsAre(0, 1, 3));
  EXPECT_THAT(adjacency.neighbors(3), ElementsAre(0, 2));
  EXPECT_THAT(adjacency.neighbors(4), IsEmpty());
  EXPECT_THAT(adjacency.corners_at(0), ElementsAre(ElementsAre(1, 2), ElementsAre(2, 3)));
  EXPECT_THAT(adjacency.corners_at(2), ElementsAre(ElementsAre(0, 1), ElementsAre(3, 0)));
  EXPECT_THAT(adjacency.corners_at(4), IsEmpty());
}

TEST(Adjacency, NothingAtAll) {
  EXPECT_EQ(make_adjacency(0, {}).vertex_count(), 0u);
}

}  // namespace
}  // namespace pelt::mesh
