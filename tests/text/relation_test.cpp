#include "runtime/text/relation.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("a relation is two formulas and one comparison") {
  std::map<std::string, std::int64_t> symbols{{"N", 12}, {"H", 6}, {"G", 5}};
  for (auto [text, right] : {std::pair{"N == 2*H", true},
                             {"N != H", true},
                             {"H <= 6", true},
                             {"H < 6", false},
                             {"N >= G + 8", false},
                             {"N > G+6", true},
                             {"N % G == 2", true}}) {
    INFO(text);
    auto r = relation_of(text);
    REQUIRE(r);
    auto said = holds(*r, symbols);
    REQUIRE(said);
    CHECK(*said == right);
  }
  for (auto text : {"", "N", "N = 2", "== 3", "N ==", "1 < N < 9", "N === 3", "N ! 3"}) {
    INFO(text);
    CHECK_FALSE(relation_of(text));
  }
  CHECK_FALSE(holds(*relation_of("N == Q"), symbols));
  CHECK_FALSE(holds(*relation_of("N % (H - 6) == 0"), symbols));
}

TEST_CASE("a symbol is named as a whole word") {
  CHECK(names_symbol("N-K+1", "K"));
  CHECK_FALSE(names_symbol("NK+1", "K"));
  CHECK_FALSE(names_symbol("K2", "K"));
  CHECK(names_symbol("K2*K", "K"));
}
