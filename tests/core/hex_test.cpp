#include "runtime/core/hex.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("bytes survive hexadecimal text; what is none gives nothing") {
  std::string bytes;
  for (int i = 0; i < 256; ++i)
    bytes += static_cast<char>(i);
  CHECK(from_hex(to_hex(bytes)) == bytes);
  CHECK(from_hex("") == "");
  CHECK_FALSE(from_hex("0g"));
  CHECK_FALSE(from_hex("0A")); // as digests are written: one text for one value
  CHECK_FALSE(from_hex("000"));
}
