#include "runtime/text/source_template.hpp"
#include "runtime/text/source_tokens.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

const std::string native = "// ke-param: TILE = 8 | 16 | 32\n"
                           "int x = TILE;\n"
                           "  //ke-param: MODE=fast|-1.5e+3\n"
                           "int y = MODE;\n";

using enum source_language;

std::string filled(const std::string& source, const parameter_point& p, source_language language = cpp) {
  auto text = at_point(source, language, p);
  REQUIRE(text);
  return *text;
}

} // namespace

TEST_CASE("a template's parameters are read in their order") {
  auto all = parameters_of(native, cpp);
  REQUIRE(all);
  REQUIRE(all->size() == 2);
  CHECK((*all)[0].name == "TILE");
  CHECK((*all)[0].values == std::vector<std::string>{"8", "16", "32"});
  CHECK((*all)[1].values == std::vector<std::string>{"fast", "-1.5e+3"});
  auto none = parameters_of("int main() {} // ke-param: IN_CODE = 1\n", cpp);
  REQUIRE(none);
  CHECK(none->empty());
}

TEST_CASE("a candidate at a point defines its parameters and tells the point") {
  CHECK(filled(native, {2, 0}) == "// ke-param: TILE = 8 | 16 | 32\n#define TILE 32\nint x = TILE;\n"
                                  "  //ke-param: MODE=fast|-1.5e+3\n#define MODE fast\n"
                                  "// ke-point: {\"TILE\": \"32\", \"MODE\": \"fast\"}\nint y = MODE;\n");
  CHECK(filled("# ke-param: N = 1 | 2\nn = N\n", {1}, python) ==
        "# ke-param: N = 1 | 2\nN = 2\n# ke-point: {\"N\": \"2\"}\nn = N\n");
}

TEST_CASE("a candidate is still its own template, at whatever point it stands") {
  for (const auto& [source, language] :
       {std::pair{native, cpp},
        std::pair{std::string{"# ke-param: N = 1 | 2\n# ke-param: K = 3 | 4\nn = N == 1\n"}, python}}) {
    auto parameters = parameters_of(source, language);
    REQUIRE(parameters);
    for (std::uint32_t i = 0; i < 2; ++i)
      for (std::uint32_t j = 0; j < 2; ++j) {
        auto once = filled(source, {1 - i, 1 - j}, language);
        CHECK(filled(once, {i, j}, language) == filled(source, {i, j}, language));
        CHECK(point_in(once, language, *parameters) == parameter_point{1 - i, 1 - j});
      }
    CHECK(point_in(source, language, *parameters) == parameter_point{0, 0});
  }
}

TEST_CASE("a mistake in a parameter names its line") {
  struct row {
    const char* text;
    const char* says;
  };
  auto r = GENERATE(row{"\n// ke-param: 3X = 1\n", "line 2: a parameter is written"},
                    row{"// ke-param: X\n", "line 1: a parameter is written"},
                    row{"// ke-param: X = 1 || 2\n", "line 1: the values of parameter X"},
                    row{"// ke-param: X = a b\n", "line 1: the values of parameter X"},
                    row{"// ke-param: X = 1 | 1\n", "line 1: parameter X has a value twice"},
                    row{"// ke-param: X = 1\n// ke-param: X = 2\n", "line 2: parameter X is declared twice"});
  auto all = parameters_of(r.text, cpp);
  REQUIRE_FALSE(all);
  CHECK(all.error().text.starts_with(r.says));
  std::string many, wide = "// ke-param: X = 0";
  for (int i = 0; i < 17; ++i) {
    many += "// ke-param: P" + std::to_string(i) + " = 1\n";
    wide += " | " + std::to_string(i + 1);
  }
  CHECK(parameters_of(many, cpp).error().text == "line 9: a template has at most 8 parameters");
  CHECK(parameters_of(wide, cpp).error().text == "line 1: parameter X has more than 16 values");
}

TEST_CASE("a point outside of the space is refused") {
  CHECK_FALSE(at_point(native, cpp, {3, 0}));
  CHECK_FALSE(at_point(native, cpp, {0}));
  CHECK_FALSE(at_point("int x;\n", cpp, {}));
}

TEST_CASE("a line within a text declares no parameter") {
  for (const auto& [source, language] :
       {std::pair{"s = R\"(\n// ke-param: N = 1 | 2\n)\";\n", cpp},
        std::pair{"/*\n// ke-param: N = 1 | 2\n*/\n", cpp}, std::pair{"# ke-param: N = 1 | 2\n", cpp},
        std::pair{"\"\"\"\n# ke-param: N = 1 | 2\n\"\"\"\n", python},
        std::pair{"x = 7\n// ke-param: N = 1 | 2\n", python}}) {
    auto all = parameters_of(source, language);
    INFO(source);
    REQUIRE(all);
    CHECK(all->empty());
  }
  // Behind what is Python 3.12's.
  CHECK(parameters_of("x = f'{d['a']}'\n# ke-param: N = 1 | 2\n", python)->size() == 1);
}

TEST_CASE("Bug: a word in quotes was no value of a parameter, so an answer in Python was lost") {
  const std::string source =
      "# ke-param: PREC = \"tf32x3\" | 'ieee'\n# ke-param: FULL = True | False\nx = PREC\n";
  auto first = at_first_values(source, python);
  REQUIRE(first);
  CHECK(*first ==
        "# ke-param: PREC = \"tf32x3\" | 'ieee'\nPREC = \"tf32x3\"\n# ke-param: FULL = True | False\n"
        "FULL = True\n# ke-point: {\"PREC\": \"tf32x3\", \"FULL\": \"True\"}\nx = PREC\n");
  CHECK(*at_first_values(*first, python) == *first);
  auto other = at_point(*first, python, {1, 1});
  REQUIRE(other);
  CHECK(other->find("PREC = 'ieee'\n") != other->npos);
  CHECK(*at_first_values(*other, python) == *other); // a point is chosen
  CHECK_FALSE(at_first_values("# ke-param: PREC = \"a b\"\n", python));
  CHECK(*at_first_values("x = 1\n", python) == "x = 1\n");
}
