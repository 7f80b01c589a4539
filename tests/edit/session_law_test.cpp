// A session reads back exactly after any edits.
#include <gtest/gtest.h>

#include "edit/session.h"
#include "edit_fixtures.h"
#include "random_changes.h"
#include "reopened.h"
#include "support/effort.h"

namespace pelt::edit {
namespace {

TEST(Session, Law_RandomContentReadsBackExactly) {
  test::Random random(17);
  for (int round = 0; round < test::rounds(40); ++round) {
    Document document = test::arm_document();
    for (int i = 0; i < 30; ++i) {
      test::apply(document, test::random_change(document, random));
      if (i % 6 == 5) {
        const OpenedSession again = test::reopened(document);
        ASSERT_EQ(content_hash(again.document.content), content_hash(document.content)) << round << ", " << i;
        ASSERT_TRUE(again.lost.empty()) << again.lost.front();
        ASSERT_EQ(again.document.view, document.view);
      }
    }
  }
}

}  // namespace
}  // namespace pelt::edit
