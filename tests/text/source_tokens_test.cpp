#include "runtime/text/source_tokens.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

using texts = std::vector<std::string>;
using kind = source_token_kind;

/// Structure by its names, tokens by their spelling.
texts read(std::string_view source, source_language language) {
  texts all;
  for (const auto& t : tokens_of(source, language))
    all.push_back(t.kind == kind::line_end    ? "<end>"
                  : t.kind == kind::indent    ? "<in>"
                  : t.kind == kind::dedent    ? "<out>"
                  : t.kind == kind::comment   ? "<comment>"
                  : t.kind == kind::verbatim  ? "<verbatim>" + std::string{t.text}
                  : t.kind == kind::directive ? "<directive>"
                                              : spelling(t, language));
  return all;
}
texts cpp_texts(std::string_view source) {
  return read(source, source_language::cpp);
}
texts python_texts(std::string_view source) {
  return read(source, source_language::python);
}

} // namespace

TEST_CASE("C++ is read as its longest tokens") {
  CHECK(cpp_texts("a+++b->*c<<=1;") == texts{"a", "++", "+", "b", "->*", "c", "<<=", "1", ";"});
  CHECK(cpp_texts("x<::y>::z <:0:>") == texts{"x", "<", "::", "y", ">", "::", "z", "<:", "0", ":>"});
  CHECK(cpp_texts("f<<<1, 2>>>()") == texts{"f", "<<<", "1", ",", "2", ">>>", "(", ")"});
  CHECK(cpp_texts("1'000'000 0x1p-3f 1e+5 .5 1..2") == texts{"1'000'000", "0x1p-3f", "1e+5", ".5", "1..2"});
  CHECK(cpp_texts("u8\"a\" L'b' \"c\"_s x\"d\"") == texts{"u8\"a\"", "L'b'", "\"c\"_s", "x", "\"d\""});
  CHECK(cpp_texts("'\"' '\\'' \"\\\"//\" // '") == texts{"'\"'", "'\\''", "\"\\\"//\"", "<comment>"});
  CHECK(cpp_texts("R\"x(a)\" // )x\" /* b */;") == texts{"R\"x(a)\" // )x\"", "<comment>", ";"});
  CHECK(cpp_texts("na\xC3\xAFve \\u00e9t$") == texts{"na\xC3\xAFve", "\\u00e9t$"});
}

TEST_CASE("a line splice of C++ may be within any token, but not within a raw literal") {
  CHECK(cpp_texts("in\\\nt x = 1\\\r\n2; // a \\\nb\ny /\\\n/ c") ==
        texts{"int", "x", "=", "12", ";", "<comment>", "y", "<comment>"});
  CHECK(cpp_texts("/\\\n* a *\\\n/ b") == texts{"<comment>", "b"});
  CHECK(cpp_texts("R\"(a\\\nb)\"") == texts{"R\"(a\\\nb)\""});
  CHECK(cpp_texts("R\\\n\"(\" // a)\" b") == texts{"R\"(\" // a)\"", "b"});
}

TEST_CASE("a directive of C++ is one line, and a header's name holds no comment") {
  CHECK(cpp_texts("#include <a//b>\n%: define X \\\n  1 /* \n */ + 2\nint # x") ==
        texts{"<directive>", "include", "<a//b>", "<end>", "<directive>", "define", "X", "1", "<comment>",
              "+", "2", "<end>", "int", "#", "x"});
  CHECK(cpp_texts("#if __has_include(<a/*b>) && 1 < 2 // >\n#include \"a\\\"\n") ==
        texts{"<directive>", "if", "__has_include", "(", "<a/*b>", ")", "&&", "1", "<", "2", "<comment>",
              "<end>", "<directive>", "include", "\"a\\\"", "<end>"});
  CHECK(cpp_texts("#inc\\\nlude <a//b>\n") == texts{"<directive>", "include", "<a//b>", "<end>"});
}

TEST_CASE("what is malformed C++ counts as it stands") {
  CHECK(cpp_texts("#if 0\ndon't // a\n#endif") == texts{"<directive>", "if", "0", "<end>", "don",
                                                        "<verbatim>'t // a", "<directive>", "endif",
                                                        "<end>"});
  CHECK(cpp_texts("a /* b // c\nd") == texts{"a", "<verbatim>/* b // c\nd"});
  CHECK(cpp_texts("a R\"(b // c\nd") == texts{"a", "<verbatim>R\"(b // c\nd"});
  CHECK(cpp_texts("a \"b\"R\"(c // )\"") == texts{"a", "<verbatim>\"b\"R\"(c // )\""});
  CHECK(cpp_texts("a ` // b") == texts{"a", "<verbatim>` // b"});
  // Compilers differ in where these lines end.
  for (auto text : {"a // b\rc", "// a \\ \nb;\n", "// a \\\t\r\nb;\n"})
    CHECK(cpp_texts(text) == texts{"<verbatim>" + std::string{text}});
  CHECK(cpp_texts(std::string_view{"a\0b", 3}).size() == 1);
}

TEST_CASE("assembly and LLVM IR for a C++ backend are not C++") {
  for (auto text : {"\t.globl\tkernel\nkernel:\n\tret # it's done\n", "target triple = \"x\"\n",
                    "define void @kernel() {\n ret void\n}\n", "nop; .globl kernel\nkernel: ret\n",
                    "; IR\n%1 = f\n", ".version 8.0\n.visible .entry kernel()\n"})
    CHECK(cpp_texts(text) == texts{"<verbatim>" + std::string{text}});
}

TEST_CASE("Python is read as its own tokenizer does") {
  CHECK(python_texts("x = 7 // 2 # two\n\n") == texts{"x", "=", "7", "//", "2", "<comment>", "<end>"});
  CHECK(python_texts("if x:\n  y = [1,\n 2]\n\n # no\n  z\nw") ==
        texts{"if", "x", ":", "<end>", "<in>", "y", "=", "[", "1", ",", "2", "]", "<end>", "<comment>", "z",
              "<end>", "<out>", "w", "<end>"});
  CHECK(python_texts("a = b + \\\n   c ; d") == texts{"a", "=", "b", "+", "c", ";", "d", "<end>"});
  CHECK(python_texts("x **= 0xE-1 + 1e-5j ** .5") ==
        texts{"x", "**=", "0xE", "-", "1", "+", "1e-5j", "**", ".5", "<end>"});
  CHECK(
      python_texts("rb'\\' # no' \"it's\" '''a\n'b' # no\n''' '' f'{a!r:>{w}}' if'c'") ==
      texts{"rb'\\' # no'", "\"it's\"", "'''a\n'b' # no\n'''", "''", "f'{a!r:>{w}}'", "if", "'c'", "<end>"});
  CHECK(python_texts("if x:\r\n\ty\r\nz") ==
        texts{"if", "x", ":", "<end>", "<in>", "y", "<end>", "<out>", "z", "<end>"});
}

TEST_CASE("what Python refuses, or reads in two ways, counts as it stands") {
  auto rest = [](std::string_view source) {
    auto all = python_texts(source);
    return std::any_of(all.begin(), all.end(), [](const auto& t) { return t.starts_with("<verbatim>"); });
  };
  for (auto text :
       {"if x:\n\ty\n        z # tab and blanks\n", "if x:\n    y\n  z\n", "x = 'a\n# b\n", "'''a",
        "x = (1\n", "x)\n", "a ? b # c\n", "a \\ # c\nb", "a\r# b\n",
        // Nested quotes are Python 3.12's, and end the text before.
        "f'{d['a # b']}'\n", "f'{d[\"}' + '\"]}' # a\n", "f'{x # }' \n}'\n", "f'{x:{w # }}'\n", "f'}'\n"}) {
    INFO(text);
    CHECK(rest(text));
  }
  for (auto text :
       {"f'{d[\"a\"]} {{ {x:#x} {y!r:>{w}} \\{z} \\N{DASH}'\n", "rf'\\{x}'\n", "f'''{x}\n'{y}' '''\n"}) {
    INFO(text);
    CHECK_FALSE(rest(text));
  }
}

TEST_CASE("comments that Python reads are more than comments") {
  CHECK(python_texts("# -*- coding: latin-1 -*-\n# type: (int) -> int\n# typed\n") ==
        texts{"<verbatim># -*- coding: latin-1 -*-", "<verbatim># type: (int) -> int", "<comment>"});
  CHECK(python_texts("\n\n# coding: x\n") == texts{"<comment>"});
}

TEST_CASE("a token knows its line, and whether something stands before it") {
  auto all = tokens_of("a \\\nb\n/* c\n */ d(e", source_language::cpp);
  REQUIRE(all.size() == 6);
  CHECK(all[1].line == 2);
  CHECK_FALSE(all[1].first);
  CHECK(all[2].first);
  CHECK(all[3].line == 4);
  CHECK_FALSE(all[3].first);
  CHECK(all[3].spaced);
  CHECK_FALSE(all[4].spaced);
}

TEST_CASE("hostile sources are read in linear time", "[costly]") {
  for (auto piece :
       {"\\\n", "\"\\\n", "'", "R\"(", "#include <", "/*", "f'{", "[", "\\ ", "# type:\n", " \t"})
    for (auto language : {source_language::cpp, source_language::python}) {
      std::string source;
      while (source.size() < 400'000)
        source += piece;
      CHECK(tokens_of(source, language).size() <= source.size() + 1);
    }
}
