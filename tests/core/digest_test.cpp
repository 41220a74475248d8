#include "runtime/core/digest.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("a digest is BLAKE2b-256 in hexadecimal") {
  CHECK(digest_of("") == "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  CHECK(digest_of("a") != digest_of("b"));
}

TEST_CASE("parts do not collide by concatenation") {
  CHECK(digest_of_parts({"ab", "c"}) != digest_of_parts({"a", "bc"}));
  CHECK(digest_of_parts({"a", ""}) != digest_of_parts({"a"}));
}

TEST_CASE("a thread compresses small and large texts in turns") {
  // Small ones share a context that is kept, large ones get their own.
  for (std::size_t size : {0u, 1u, 2'000u, 500'000u, 1'500u, 65'536u, 65'537u, 10u}) {
    std::string text, out;
    for (std::size_t i = 0; i < size; ++i)
      text += static_cast<char>('a' + i * i % 23);
    REQUIRE(decompress(compress(text), out));
    CHECK(out == text);
    CHECK_FALSE(decompress("not zstd", out)); // a failure leaves nothing behind for the next
  }
}

TEST_CASE("compressed bytes come back, damaged or over-long ones do not") {
  std::string text(100'000, 'x'), out;
  auto packed = compress(text);
  CHECK(packed.size() < 1000);
  REQUIRE(decompress(packed, out));
  CHECK(out == text);
  CHECK_FALSE(decompress(packed, out, 99'999));
  CHECK_FALSE(decompress(packed.substr(0, packed.size() - 1), out));
  CHECK_FALSE(decompress("not zstd", out));
  CHECK(out.empty());
}

TEST_CASE("a checksum notices one flipped bit") {
  std::string bytes = "record";
  auto sum = checksum_of(bytes);
  bytes[3] ^= 1;
  CHECK(checksum_of(bytes) != sum);
}
