#include "runtime/text/json_limits.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>

using namespace ke;

TEST_CASE("depth and values of a JSON text are counted without a parser") {
  CHECK(json_within("", 0, 0));
  CHECK(json_within("1", 0, 1));
  CHECK_FALSE(json_within("1", 0, 0));
  CHECK(json_within("[[[]]]", 3, 3));
  CHECK_FALSE(json_within("[[[]]]", 2, 3));
  CHECK_FALSE(json_within("[[[]]]", 3, 2));
  CHECK(json_within("[[],[],[]]", 2, 4));
  CHECK(json_within("{\"a\":{\"b\":[1,true]}}", 3, 7));
  CHECK_FALSE(json_within("{\"a\":{\"b\":[1,true]}}", 3, 6));
  CHECK_FALSE(json_within("{\"a\":{\"b\":[1,true]}}", 2, 7));
}

TEST_CASE("brackets, quotes and commas inside of a string count for nothing") {
  CHECK(json_within("\"[[[[,,,,{\"", 0, 1));
  CHECK(json_within(R"("\"[[[[")", 0, 1));
  CHECK(json_within(R"(["\\",[]])", 2, 3));
  CHECK_FALSE(json_within(R"(["\\",[]])", 1, 3));
}

TEST_CASE("closing brackets without an opening one do not buy depth") {
  CHECK_FALSE(json_within("]]]]]][[", 1, 9));
}

TEST_CASE("a string without an end and a number of kilobytes are seen to be no JSON") {
  CHECK(json_fault_of("{\"a\":\"b", {}) == json_fault::no_json);
  CHECK(json_fault_of("\"\\", {}) == json_fault::no_json);
  CHECK(json_fault_of(std::string(1025, '1'), {}) == json_fault::no_json);
  CHECK(json_fault_of(std::string(1024, '1'), {}) == json_fault::none);
  CHECK(json_fault_of("\"abcd\"", {1, 1, 3}) == json_fault::too_long_string);
  CHECK(json_fault_of("\"abc\"", {1, 1, 3}) == json_fault::none);
}

TEST_CASE("every document that a parser makes has as many values and levels as were counted") {
  nlohmann::json j = {{"a", {1, 2.5e-3, nullptr, true, "x\"]}"}}, {"b", {{"c", nlohmann::json::array()}}}};
  std::size_t values = 1 + 1 + 1 + 5 + 1 + 1 + 1 + 1; // {}, "a", [], its five, "b", {}, "c", []
  for (auto indent : {-1, 2}) {
    auto text = j.dump(indent);
    CHECK(json_within(text, 3, values));
    CHECK_FALSE(json_within(text, 3, values - 1));
    CHECK_FALSE(json_within(text, 2, values));
  }
}
