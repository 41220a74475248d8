#include "interface/bench/bench_search.hpp"
#include "interface/cli/command_words.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/hint.hpp"
#include "interface/cli/number_check.hpp"
#include "interface/cli/store_turn.hpp"
#include "knowledge/prompt/prompt_builder.hpp"
#include "knowledge/prompt/prompt_parts.hpp"
#include "runtime/store/owner_lock.hpp"
#include "runtime/text/hint_text.hpp"
#include "tests/actors/small_store.hpp"

#include <CLI/CLI.hpp>

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::cli;

TEST_CASE("bug: --set of bench search takes keys that have an option of their own") {
  temp_dir dir;
  search_bench_options o;
  o.landscape = dir / "toy.json";
  o.seeds = "1..1";
  std::ofstream{o.landscape} << R"({"genes": 2, "values": 2, "additive": [[0, 1], [0, 1]], "target": 2})";
  for (auto [set, option] : {std::pair{"policy=greedy", "--policy"},
                             {"memory=clean", "--memory"},
                             {"parallel=64", "--in-flight"},
                             {" parallel = 64", "--in-flight"}}) {
    o.set = {"exploration=0.1", set};
    auto done = bench_search(o);
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == failure_kind::invalid);
    CHECK(done.error().text.find(std::string{"use "} + option) != std::string::npos);
  }
  o.set = {"exploration=0.1"};
  CHECK(bench_search(o));
}

TEST_CASE("bug: a landscape that is empty or a folder cannot be read, and nobody says why") {
  temp_dir dir;
  search_bench_options o;
  o.landscape = dir / "empty.json";
  std::ofstream{o.landscape};
  CHECK(bench_search(o).error().text == o.landscape + ": landscape: it is empty: expected a JSON document");
  o.landscape = dir.path();
  CHECK(bench_search(o).error().text.find("(it is a folder)") != std::string::npos);
  o.landscape = dir / "nowhere";
  CHECK(bench_search(o).error().text.find("(No such file or directory)") != std::string::npos);
}

TEST_CASE("bug: a node id that is none is answered with a range of 300 digits") {
  auto check = node_id_check();
  for (auto good : {"0", "12", "18446744073709551615"})
    CHECK(check(good).empty());
  for (std::string bad : {"-1", "abc", "1.5", "1e3", "+1", " 1", "18446744073709551616"})
    CHECK(check(bad) == "expected a node id, 0 or more, not " + bad);
  CHECK(check("") == "expected a node id, 0 or more, not an empty text");
}

TEST_CASE("bug: a hint that is blank, not UTF-8 or cut by the prompt is accepted") {
  auto why = [](std::string_view text) {
    auto fits = check_hint(text);
    return fits ? std::string{} : fits.error().text;
  };
  for (auto blank : {"", " ", "\t\n "})
    CHECK(why(blank).find("the text is empty") != std::string::npos);
  for (auto bytes : {"\xff", "tail\xc3", "\xed\xa0\x80"})
    CHECK(why(bytes).find("not UTF-8") != std::string::npos);
  CHECK(why("versuche zwei Akkumulatoren, größer").empty());
  std::string longest(most_hint_bytes, 'x');
  CHECK(why(longest).empty());
  CHECK(why(longest + "x") ==
        "hint: the text has 2001 bytes, and a prompt shows at most 2000: shorten it, or give several hints");
  prompt_request r; // what is accepted comes into the prompt whole
  r.hints = {longest};
  CHECK(hints_part(r).find(longest) != std::string::npos);
  r.hints = {longest + "y"};
  CHECK(hints_part(r).find('y') == std::string::npos);
}

TEST_CASE("bug: a typo in a subcommand is told that a subcommand is required") {
  CLI::App app{"ke-runtime"};
  app.require_subcommand(1);
  int code = 0;
  add_store(app, code);
  add_export(app, code);
  add_knowledge(app, code);
  add_bench(app, code);
  add_tree(app, code);
  auto why = [&](std::vector<std::string> words) { return unknown_command(app, words).value_or(""); };
  CHECK(why({"bench", "searchh", "--landscape", "x"}) ==
        "there is no command bench searchh (did you mean \"search\"?); `ke-runtime bench --help` lists them");
  CHECK(why({"store", "exprt"}).find("did you mean \"export\"") != std::string::npos);
  CHECK(why({"knowledge", "lnt"}).find("did you mean \"lint\"") != std::string::npos);
  CHECK(why({"export", "bset"}).find("did you mean \"best\"") != std::string::npos);
  CHECK(why({"bennch"}) ==
        "there is no command bennch (did you mean \"bench\"?); `ke-runtime --help` lists them");
  CHECK(why({"store", "verify-page"}).find("did you mean") == std::string::npos); // the program's own
  for (const auto& right : std::vector<std::vector<std::string>>{{},
                                                                 {"bench"},
                                                                 {"bench", "--help"},
                                                                 {"bench", "search"},
                                                                 {"show", "x"},
                                                                 {"store", "verify-pages", "x"}})
    CHECK(why(right).empty());
}

TEST_CASE("bug: a second store merge gives up at once while the first one has the store") {
  temp_dir dir;
  auto first = std::optional{owner_lock::take(dir.path())};
  REQUIRE(*first);
  REQUIRE((*first)->write(owner_lock::self("")));
  auto open = [&] { return owner_lock::take(dir.path()); };
  int waits = 0;
  auto second = in_turn(dir.path(), open, [&] {
    if (++waits == 3)
      first.reset(); // it ends
    return true;
  });
  CHECK(second);
  CHECK(waits == 3);

  auto third = in_turn(dir.path(), open, [&] { return --waits > 0; });
  REQUIRE_FALSE(third);
  CHECK(third.error().kind == failure_kind::held);
  CHECK(third.error().text.find("is still held by process " + std::to_string(::getpid())) !=
        std::string::npos);
  CHECK(waits == 0);

  REQUIRE(
      second->write(owner_lock::self("/somewhere/socket"))); // an owner that can be asked is not waited for
  auto fourth = in_turn(dir.path(), open, [&] { return ++waits, true; });
  CHECK_FALSE(fourth);
  CHECK(waits == 0);
}
