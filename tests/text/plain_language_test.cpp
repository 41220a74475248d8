#include "runtime/text/source_template.hpp"
#include "runtime/text/source_text.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

/// A language of which a manifest says this much.
source_syntax toy() {
  source_syntax s;
  s.comments = {"--", "%"};
  s.quotes = {"\"", "'"};
  s.constant = "set {name} = {value}";
  return s;
}

std::string digest(std::string_view source) {
  return source_digest(source, toy());
}

} // namespace

TEST_CASE(
    "A10: of a language that only its manifest knows, comments, blank lines and blanks at line ends do not "
    "count") {
  auto same = digest("kernel x y\ny = x\n");
  CHECK(digest("-- a plan\nkernel x y\n\n  % more\ny = x   -- why\n\n") == same);
  CHECK(digest("kernel x y  \r\ny = x\r\n") == same);
  CHECK(digest("kernel x y\ny = x") == same);
  CHECK(without_comments("kernel x y -- a\n% b\ny = x\n", toy()) == "kernel x y \n\ny = x\n");
}

TEST_CASE("A10: everything else of such a source counts") {
  auto one = digest("kernel x y\ny = x\n");
  for (auto other :
       {"kernel x y\n  y = x\n", "kernel x y y = x\n", "kernel x  y\ny = x\n", "kernel x y\ny = x-1\n"})
    CHECK(digest(other) != one);
  // What looks like a comment within a text is none.
  CHECK(digest("print \"a -- b\"\n") != digest("print \"a -- c\"\n"));
  CHECK(digest("print 'it' -- b\n") == digest("print 'it' -- c\n"));
}

TEST_CASE("A10: where the texts of such a source can't be told, the rest counts as it stands") {
  CHECK(digest("a\nprint \"open -- b\nb -- c\n") != digest("a\nprint \"open -- b\nb -- d\n"));
  CHECK(digest("a -- 1\nprint \"open\n") == digest("a -- 2\nprint \"open\n"));
  CHECK(digest("print \"\\\" -- b\"\nb -- c\n") != digest("print \"\\\" -- b\"\nb -- d\n"));
  CHECK(digest(std::string{"a -- b\0c\n", 9}) != digest(std::string{"a -- c\0c\n", 9}));
}

TEST_CASE("A10: without any mark of a comment a whole source counts as it stands") {
  source_syntax nothing;
  CHECK(source_digest("a // b\n", nothing) != source_digest("a // c\n", nothing));
  CHECK(without_comments("a // b\n", nothing) == "a // b\n");
  CHECK(parameters_of("// ke-param: A = 1 | 2\n", nothing)->empty());
}

TEST_CASE("A10: a template in such a language declares in its comments and sets constants in its own way") {
  std::string source = "-- ke-param: STEP = 2 | 4\nkernel x y\n  % ke-param: HALF = 0.5 | -1\ny = x * HALF\n";
  auto parameters = parameters_of(source, toy());
  REQUIRE(parameters);
  REQUIRE(parameters->size() == 2);
  auto first = at_point(source, toy(), {0, 1});
  REQUIRE(first);
  CHECK(*first == "-- ke-param: STEP = 2 | 4\nset STEP = 2\nkernel x y\n  % ke-param: HALF = 0.5 | -1\n"
                  "set HALF = -1\n-- ke-point: {\"STEP\": \"2\", \"HALF\": \"-1\"}\ny = x * HALF\n");
  CHECK(point_in(*first, toy(), *parameters) == parameter_point{0, 1});
  CHECK(*at_point(*first, toy(), {1, 0}) == *at_point(source, toy(), {1, 0}));
  // A definition by hand is replaced, whatever its blanks; another name's is not.
  CHECK(at_point("-- ke-param: A = 1 | 2\n  set A=7\n", toy(), {1})->find("7") == std::string::npos);
  CHECK(at_point("-- ke-param: A = 1 | 2\nset AB = 7\n", toy(), {1})->find("AB = 7") != std::string::npos);
  CHECK(at_point("-- ke-param: A = 1 | 2\nset A == 7\n", toy(), {1})->find("A == 7") != std::string::npos);
}

TEST_CASE("A10: a text that only looks like a declaration in such a language is none") {
  CHECK(parameters_of("print \"-- ke-param: A = 1 | 2\"\n", toy())->empty());
  CHECK(parameters_of("y = x -- ke-param: A = 1 | 2\n", toy())->empty());
}
