#include "runtime/core/source_text.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("a text is trimmed of blanks and line ends") {
  CHECK(trimmed(" \t a b\r\n") == "a b");
  CHECK(trimmed(" \n").empty());
  CHECK(trimmed("").empty());
}

TEST_CASE("comments go and lines stay, whatever the language calls a comment") {
  CHECK(without_comments("a // b\nc /* d\n e */ f\n", false) == "a \nc   f\n");
  CHECK(without_comments("a # b\nc // d\n", true) == "a \nc // d\n");
  CHECK(without_comments("#pragma x\na /* open", false) == "#pragma x\na  ");
}

TEST_CASE("what looks like a comment within a literal is none") {
  CHECK(without_comments("s = \"// no\" // yes", false) == "s = \"// no\" ");
  CHECK(without_comments("s = '# \\' no' # yes", true) == "s = '# \\' no' ");
  CHECK(without_comments("c = '\"'; // \"x", false) == "c = '\"'; ");
}
