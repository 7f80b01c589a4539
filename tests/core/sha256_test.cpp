#include "core/sha256.h"

#include <gtest/gtest.h>

namespace pelt {
namespace {

std::string hash_of(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.hex();
}

// The examples of FIPS 180-4 and its test vectors.
TEST(Sha256, PublishedExamples) {
  EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesMakeTheWhole) {
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += static_cast<char>(i);
  }
  for (std::size_t first = 0; first <= text.size(); ++first) {
    Sha256 hash;
    hash.add(std::string_view(text).substr(0, first));
    hash.add(std::string_view(text).substr(first));
    ASSERT_EQ(hash.hex(), hash_of(text)) << first;
  }
}

}  // namespace
}  // namespace pelt
