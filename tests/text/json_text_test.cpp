#include "runtime/text/json_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ke;

TEST_CASE("any text becomes a JSON string that reads back") {
  for (std::string text :
       {std::string{}, std::string{"plain"}, std::string{"quote \" backslash \\ line\nend\ttab\rreturn"},
        std::string("nul\0byte\x1b[2J", 12), std::string{"Grüße 素 🚀"}})
    CHECK(nlohmann::json::parse(json_text(text)).get<std::string>() == text);
}

TEST_CASE("bytes that are not UTF-8 still give valid JSON") {
  for (std::string text :
       {"\xff", "a\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xf0\x9f\x9a"}) {
    auto back = nlohmann::json::parse(json_text(text)).get<std::string>();
    CHECK(back.find("\xef\xbf\xbd") != std::string::npos);
  }
}

TEST_CASE("every pair of bytes gives valid JSON") {
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < 256; b += 5)
      REQUIRE(
          nlohmann::json::accept(json_text(std::string{static_cast<char>(a), static_cast<char>(b), '"'})));
}

TEST_CASE("a text for a terminal keeps lines and letters, and loses orders and broken bytes") {
  CHECK(printable("a\tb\nw\xc3\xa4re") == "a\tb\nw\xc3\xa4re");
  CHECK(printable("\x1b[2J\r\x7f\xc2\x9b"
                  "1m\xff\xc3") == "?[2J???1m??");
  CHECK(printable("").empty());
}
