#include "core/sha256.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace pelt {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRoundConstants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

void Sha256::add_block(const std::byte* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) {
    for (std::size_t b = 0; b < 4; ++b) {
      w[t] = w[t] << 8 | std::to_integer<std::uint32_t>(block[4 * t + b]);
    }
  }
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t first = h + s1 + ((e & f) ^ (~e & g)) + kRoundConstants[t] + w[t];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t second = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> sums = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < sums.size(); ++i) {
    state_[i] += sums[i];
  }
}

void Sha256::add(std::span<const std::byte> bytes) {
  const std::size_t begun = count_ % block_.size();
  count_ += bytes.size();
  if (begun > 0) {
    const std::size_t taken = std::min(block_.size() - begun, bytes.size());
    std::copy_n(bytes.begin(), taken, block_.begin() + static_cast<std::ptrdiff_t>(begun));
    bytes = bytes.subspan(taken);
    if (begun + taken < block_.size()) {
      return;
    }
    add_block(block_.data());
  }
  for (; bytes.size() >= block_.size(); bytes = bytes.subspan(block_.size())) {
    add_block(bytes.data());
  }
  std::ranges::copy(bytes, block_.begin());
}

std::string Sha256::hex() {
  const std::uint64_t bits = count_ * 8;
  const std::array<std::byte, 1> one = {std::byte{0x80}};
  const std::array<std::byte, 1> zero = {};
  add(one);
  while (count_ % block_.size() != block_.size() - 8) {
    add(zero);
  }
  std::array<std::byte, 8> length{};
  for (std::size_t b = 0; b < 8; ++b) {
    length[b] = static_cast<std::byte>(bits >> (56 - 8 * b));
  }
  add(length);
  std::string out;
  for (const std::uint32_t word : state_) {
    out += fmt::format("{:08x}", word);
  }
  return out;
}

}  // namespace pelt
