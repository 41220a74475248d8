#include "knowledge/library/words.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ke;
using words = std::vector<std::string>;

TEST_CASE("related forms of a word are filed as one") {
  for (const auto& group : std::vector<words>{{"cache", "caches", "cached", "caching"},
                                              {"tile", "tiles", "tiled", "tiling"},
                                              {"block", "blocks", "blocked", "blocking"},
                                              {"map", "mapped", "mapping"},
                                              {"miss", "misses", "missed"},
                                              {"branch", "branches"},
                                              {"spill", "spills", "spilled", "spilling"},
                                              {"vectorise", "vectorised", "vectorize", "vectorizing"},
                                              {"latency", "latencies"}}) {
    for (const auto& form : group) {
      INFO(form);
      CHECK(stem(form) == stem(group.front()));
    }
  }
}

TEST_CASE("words that only look like plurals or participles stay whole") {
  CHECK(stem("bias") == "bias");
  CHECK(stem("axis") == "axis");
  CHECK(stem("string") == "string");
  CHECK(stem("l2") == "l2");
  CHECK(stem("bus") == "bus");
  CHECK(stem("thread") != stem("three"));
}

TEST_CASE("an identifier is found as a whole and by its parts") {
  CHECK(words_of("_mm256_fmadd_ps") == words{"mm256_fmadd_ps", "mm256", "fmadd", "ps"});
  CHECK(words_of("sharedMem") == words{"sharedmem", stem("shared"), "mem"});
  CHECK(words_of("CUDA __syncthreads()") == words{"cuda", stem("syncthreads")});
}

TEST_CASE("a message keeps its errors and loses its places") {
  auto all = words_of("kernel.cpp:12:7: error: 'foo' was not declared in this scope");
  CHECK(all == words{"kernel", "cpp", "error", "foo", "not", stem("declared"), "scop"});
  CHECK(words_of("signal 11, 140737353 of 64") == words{"signal", "11", "64"});
}

TEST_CASE("text that is no words gives no words") {
  CHECK(words_of("").empty());
  CHECK(words_of("__ ** () the of \t\n").empty());
  CHECK(words_of("größe").size() == 1);
}
