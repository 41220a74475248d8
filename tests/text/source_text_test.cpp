#include "runtime/text/source_text.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

using enum source_language;

bool same(std::string_view a, std::string_view b, source_language language) {
  return source_digest(a, language) == source_digest(b, language);
}

} // namespace

TEST_CASE("a text is trimmed of blanks and line ends") {
  CHECK(trimmed(" \t a b\r\n") == "a b");
  CHECK(trimmed(" \n").empty());
  CHECK(trimmed("").empty());
}

TEST_CASE("comments go and lines stay, whatever the language calls a comment") {
  CHECK(without_comments("a // b\nc /* d\n e */ f\n", cpp) == "a \nc   f\n");
  CHECK(without_comments("a # b\nc // d\n", python) == "a \nc // d\n");
  CHECK(without_comments("a // b\n# c\n", other) == "a // b\n# c\n");
  CHECK(without_comments("#pragma x\na /* open", cpp) == "#pragma x\na /* open");
}

TEST_CASE("what looks like a comment within a literal is none") {
  CHECK(without_comments("s = \"// no\" // yes", cpp) == "s = \"// no\" ");
  CHECK(without_comments("s = '# \\' no' # yes", python) == "s = '# \\' no' ");
  CHECK(without_comments("c = '\"'; // \"x", cpp) == "c = '\"'; ");
  CHECK(without_comments("s = '''a\n# no\n''' # yes", python) == "s = '''a\n# no\n''' ");
  CHECK(without_comments("s = R\"(\" // no)\"; // yes", cpp) == "s = R\"(\" // no)\"; ");
  CHECK(without_comments("n = 1'000; // it's\nm = 2'0;", cpp) == "n = 1'000; \nm = 2'0;");
}

TEST_CASE("a line splice goes on with a comment") {
  CHECK(without_comments("a; // b \\\nc;\nd;", cpp) == "a; \nd;");
}

TEST_CASE("source digests ignore comments and blanks but no code") {
  CHECK(same("int  x = 1; // one\n", "int x = 1;\n\n\n", cpp));
  CHECK(same("int x = /* one */ 1;", "int x=1;", cpp));
  CHECK(same("a\r\nb", "a\nb", cpp));
  CHECK(same("\n\n  a", "a", cpp));
  CHECK(same("for (;;) {\n  f();\n}", "for (;;)\n{ f(); }", cpp));
  CHECK_FALSE(same("int x = 1;", "int x = 2;", cpp));
  CHECK_FALSE(same("intx;", "int x;", cpp));
  CHECK_FALSE(same("a + +b", "a++b", cpp));
  CHECK_FALSE(same("s = \"a  b\";", "s = \"a b\";", cpp));
  CHECK_FALSE(same("s = \"// a\";", "s = \"// b\";", cpp));
  CHECK_FALSE(same("s = \"a\"_s;", "s = \"a\" _s;", cpp));
  CHECK_FALSE(same("c = '\"'; // \"", "c = '\"'; + \"", cpp));
}

TEST_CASE("a comment that declares what the code does not say counts as code") {
  source_syntax syntax{cpp};
  syntax.declaration = "[launch]";
  auto same_candidate = [&](std::string_view a, std::string_view b) {
    return source_digest(a, syntax) == source_digest(b, syntax);
  };
  CHECK_FALSE(same_candidate("/* [launch] grid = 1 */ int x;", "/* [launch] grid = 2 */ int x;"));
  CHECK_FALSE(same_candidate("/* [[launch]] grid = 1 */ int x;", "int x;"));
  CHECK(same_candidate("/* [launch] grid = 1 */ int x;", "/* [launch] grid = 1 */ /* a plan */ int x;"));
  CHECK(same("/* [launch] grid = 1 */ int x;", "int x;", cpp));
  CHECK(without_comments("/* [launch] */ int x; // a plan\n", syntax) == "/* [launch] */ int x; \n");
}

TEST_CASE("a directive ends with its line, a macro's parameters touch its name") {
  CHECK_FALSE(same("#define A\nint x;", "#define A int x;", cpp));
  CHECK(same("#  define A   1 // a\nint x;", "#define A 1\n\nint x;", cpp));
  CHECK(same("#define A \\\n 1\nint x;", "#define A 1\nint x;", cpp));
  CHECK_FALSE(same("#define F(x) x", "#define F (x) x", cpp));
  CHECK_FALSE(same("#define F(x) x", "#define F/**/(x) x", cpp));
  CHECK_FALSE(same("#include <a//b>\n", "#include <a//c>\n", cpp));
}

TEST_CASE("bug: `7 // 2` was `7 // 4` in Python") {
  CHECK_FALSE(same("x = 7 // 2\n", "x = 7 // 4\n", python));
  CHECK_FALSE(same("x = 7 // 2\n", "x = 7\n", python));
  CHECK(same("x = 7 // 2\n", "x=7//2  # halves", python));
}

TEST_CASE("bug: a line moved into a loop was the same candidate") {
  CHECK_FALSE(same("for i in r:\n    a()\nb()\n", "for i in r:\n    a()\n    b()\n", python));
  CHECK_FALSE(same("if x:\n  if y:\n    a()\n  b()\n", "if x:\n  if y:\n    a()\n    b()\n", python));
  CHECK(same("if x:\n  a()\n", "if x:\n\n\ta() # deeper\n", python));
  CHECK(same("f(a,\n  b)\n", "f(a, b)\n", python));
}

TEST_CASE("a comment of Python may hold quotes, a text may hold comments") {
  CHECK(same("a = 1 # don't\nb = 2 # do\n", "a = 1\nb = 2\n", python));
  CHECK_FALSE(same("a = '# 1'\n", "a = '# 2'\n", python));
  CHECK_FALSE(same("a = '''\n # 1\n'''\n", "a = '''\n # 2\n'''\n", python));
  CHECK_FALSE(same("a = '''\n  b\n'''\n", "a = '''\n b\n'''\n", python));
  CHECK_FALSE(same("a /* b */\n", "a\n", python));
  CHECK_FALSE(same("f'{a  # 1\n}'\n", "f'{a\n}'\n", python)); // a comment since Python 3.12
}

TEST_CASE("a raw literal is not what it looks like to a reader of quotes") {
  CHECK_FALSE(same("s = R\"(\")\"; // a\n\"\";", "s = R\"(\")\"; // a\n\" \";", cpp));
  CHECK_FALSE(same("s = R\"(a // 1)\";", "s = R\"(a // 2)\";", cpp));
  CHECK_FALSE(same("s = R\"(a\n\nb)\";", "s = R\"(a\nb)\";", cpp));
  CHECK_FALSE(same("s = R\"(a\\\nb)\";", "s = R\"(ab)\";", cpp));
  CHECK(same("s = R\"x(\")\")x\"; // 1", "s = R\"x(\")\")x\"; // 2", cpp));
}

TEST_CASE("a line splice is not there, but for the comment that it goes on with") {
  CHECK(same("int x\\\n = 1;", "int x = 1;", cpp));
  CHECK(same("// a \\\n f();\ng();", "g();", cpp));
  CHECK_FALSE(same("// a\n f();\ng();", "// a \\\n f();\ng();", cpp));
  CHECK_FALSE(same("// a \\ \n f();\n", "// a \\ \n g();\n", cpp)); // some compilers join these lines
  CHECK_FALSE(same("// a \r f();\n", "// a \r g();\n", cpp));       // some end the line there
}

TEST_CASE("a digit separator begins no character") {
  CHECK_FALSE(same("n = 1'000; a(); // ' 1\n", "n = 1'000; b(); // ' 1\n", cpp));
  CHECK(same("n = 1'000; // a\nm = 1'0;", "n = 1'000; // b\nm = 1'0;", cpp));
  CHECK_FALSE(same("n = 1'000;", "n = 1000;", cpp));
}

TEST_CASE("a source that asks for its own text is told apart by it") {
  CHECK_FALSE(same("n = __LINE__;", "\nn = __LINE__;", cpp));
  CHECK_FALSE(same("#define S(x) #x\ns = S(a+b);", "#define S(x) #x\ns = S(a + b);", cpp));
  CHECK(same("#define S(x) x##x\ns = S(a+b);", "#define S(x) x##x\ns = S(a + b);", cpp));
  CHECK_FALSE(same("n = sys._getframe().f_lineno\n", "\nn = sys._getframe().f_lineno\n", python));
}

TEST_CASE("of an unknown language only line ends do not count") {
  CHECK(same("a\r\nb", "a\nb", other));
  CHECK_FALSE(same("a // 1", "a // 2", other));
  CHECK_FALSE(same("a  b", "a b", other));
  CHECK_FALSE(same("a\rb", "ab", other));
  CHECK_FALSE(same("\t.globl\tkernel\nkernel:\n\tret # a\n", "\t.globl\tkernel\nkernel:\n\tret # b\n", cpp));
}
