#include "runtime/text/filled_text.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("the places of a text are filled once, and one without a part is a mistake") {
  CHECK(filled_text("a {{x}} {{x}}", {{"x", "{{y}}"}}) == "a {{y}} {{y}}");
  CHECK(filled_text("{{x}}{{y}}", {{"x", "{"}, {"y", "{z}}"}}) == "{{z}}");
  CHECK(filled_text("no place {{", {}) == "no place {{");
  CHECK(filled_text("", {{"x", "1"}}).empty());
  CHECK_THROWS_AS(filled_text("{{z}}", {{"x", ""}}), std::out_of_range);
}

TEST_CASE("a place that is a comment goes with its marks, and a comment around a place stays") {
  CHECK(filled_text("f(/*{{x}}*/);", {{"x", "1, 2"}}) == "f(1, 2);");
  CHECK(filled_text("/*{{x}}*//*{{x}}*/", {{"x", ""}}).empty());
  CHECK(filled_text("/* {{x}} */", {{"x", "y"}}) == "/* y */");
  CHECK(filled_text("/*{{x}} */ {{x}}*/", {{"x", "y"}}) == "/*y */ y*/");
}
