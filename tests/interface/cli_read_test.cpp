#include "interface/cli/status_text.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/actors/small_store.hpp"
#include "tests/interface/command_line.hpp"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

using namespace ke;
using json = nlohmann::json;

namespace {

json parsed(const command_result& r) {
  INFO(r.err);
  REQUIRE(r.code == 0);
  return json::parse(r.out);
}

} // namespace

TEST_CASE("status tells a person what the machines did to measurements, and who did not answer") {
  auto told = [](const std::string& machine, bool late = false) {
    return cli::status_text(
        {1, R"({"name": "tiny", "state": "running", "machine": )" + machine + "}", !late, late}, {});
  };
  auto text = told(
      R"({"measured_again": 3, "measured_again_now": 1, "why": "memory.2 40% slower than it was", "held_s": 12.4,
                       "beside_others": 2})");
  CHECK(text.find("machine   3 measured again, 1 of them now (memory.2 40% slower than it was), 12.4 s held "
                  "for others' work, "
                  "2 verdicts beside it\n") != std::string::npos);
  CHECK(told(R"({"measured_again": 0, "held_s": 0.2, "beside_others": 0})").find("machine") ==
        std::string::npos);
  // Bug: `no owner is at work` of a campaign that was too busy to answer within two seconds.
  auto late = told("{}", true);
  CHECK(late.find("its owner is busy") != std::string::npos);
  CHECK(late.find("no owner") == std::string::npos);
}

TEST_CASE("show tells how the documents of a prompt were chosen: the query, the scores, what came of each") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  auto child = c.plan(1).at(0);
  auto found = small_retrieval();
  found.diagnosed = c.row(child).parents.at(0);
  found.bottleneck = "memory";
  found.message = "memory: 40 GB/s of 50";
  found.level = 2;
  found.candidates[1].named = true;
  c.found = found;
  c.ask(child, "Improve it\n");

  auto show = [&](std::uint32_t n, bool as_json) {
    std::vector<std::string> line{"show", std::to_string(n), "--store", dir.path()};
    if (as_json)
      line.push_back("--json");
    auto r = run_command(std::move(line));
    INFO(r.err);
    REQUIRE(r.code == 0);
    return r.out;
  };
  auto all = json::parse(show(child, true))["retrieval"];
  REQUIRE(all.size() == 1);
  CHECK(all[0]["attempt"] == 1);
  CHECK(all[0]["query"]["diagnosed"] == found.diagnosed);
  CHECK(all[0]["query"]["bottleneck"] == "memory");
  CHECK(all[0]["query"]["failure"].is_null());
  CHECK(all[0]["documents"] == 57);
  CHECK(all[0]["candidates"].size() == 4);
  CHECK(all[0]["candidates"][0] == json::parse(R"({"id": "guidance/patterns/online-softmax", "score": 1.925,
                                                   "fate": "shown", "named_by_agent": false})"));
  CHECK(all[0]["candidates"][2]["fate"] == "no_room");
  auto text = show(child, false);
  CAPTURE(text);
  CHECK(text.find(
            "documents for request 1: node " + std::to_string(found.diagnosed) +
            " is limited by memory, softmax, c++, f32, x86-64-avx2, cpu-cpp, level 2: memory: 40 GB/s of 50\n"
            "  57 fit machine, language, family, dtype and level; the best:\n"
            "  shown    1.925  guidance/patterns/online-softmax\n"
            "  shown    1.250  guidance/compute/vector-exp (a sub-agent's choice)\n"
            "  no room  0.300  guidance/method/roofline\n"
            "  lower    0.120  guidance/memory/tlb-and-pages\n") != std::string::npos);
  // A store of an earlier version has no such record.
  CHECK(json::parse(show(2, true))["retrieval"].empty());
  CHECK(show(2, false).find("documents for request") == std::string::npos);
  CHECK(run_command({"replay", "--store", dir.path()}).code == 0);
}

TEST_CASE("tree --json tells exactly the contract's fields of every node") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  auto nodes = parsed(run_command({"tree", "--store", dir.path(), "--json"}))["nodes"];
  REQUIRE(nodes.size() == 7);
  for (const auto& n : nodes) {
    std::set<std::string> keys;
    for (const auto& [key, value] : n.items())
      keys.insert(key);
    CHECK(keys == std::set<std::string>{"id", "parents", "state", "score", "scores", "decision", "model",
                                        "memory", "prompt", "source", "duplicate_of"});
  }
  const auto& root = nodes[0];
  CHECK(root["id"] == 0);
  CHECK(root["parents"].empty());
  CHECK(root["state"] == "correct");
  CHECK(root["score"] == 1);
  CHECK(root["prompt"].is_null());
  const auto& best = nodes[3];
  CHECK(best["id"] == 3);
  CHECK(best["parents"] == json::array({0}));
  CHECK(best["state"] == "correct");
  CHECK(best["decision"] == "faster");
  CHECK(best["score"].get<double>() == Approx(2.95));
  CHECK(best["scores"][0].get<double>() == Approx(2.95));
  CHECK(best["source"] == digest_of(small_source(3)));
  CHECK(best["model"] == "main");
  CHECK(nodes[2]["state"] == "build_failed");
  CHECK(nodes[2]["score"] == 0);
  CHECK(nodes[2]["decision"].is_null());
  CHECK(nodes[4]["state"] == "unanswered");
  CHECK(nodes[4]["score"].is_null());
  CHECK(nodes[5]["state"] == "asked");
  CHECK(nodes[6]["state"] == "planned");
  CHECK(nodes[6]["prompt"].is_null());
  CHECK(nodes[6]["model"] == "main");
}

TEST_CASE("the option --since and --limit give a part of the tree in the order of ids") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  auto ids = [&](std::vector<std::string> more) {
    std::vector<std::string> line{"tree", "--store", dir.path(), "--json"};
    line.insert(line.end(), more.begin(), more.end());
    std::vector<int> all;
    auto document = parsed(run_command(line));
    for (const auto& n : document["nodes"])
      all.push_back(n["id"]);
    return all;
  };
  CHECK(ids({"--since", "2", "--limit", "3"}) == std::vector{2, 3, 4});
  CHECK(ids({"--since", "6"}) == std::vector{6});
  CHECK(ids({"--since", "7"}).empty());
  CHECK(ids({"--limit", "0"}).empty());
}

TEST_CASE("two backends make two trees whose ids interleave") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store, 1, "two", {"cpu-cpp", "opencl"}};
  auto a = c.plan(2, 0), b = c.plan(1, 1);
  c.ask(b[0], "p", 1);
  c.answer(b[0], small_source(1), 1);
  c.judge(b[0], verdict_state::correct, 1.5, 1);
  auto nodes = parsed(run_command({"tree", "--store", dir.path(), "--json"}))["nodes"];
  REQUIRE(nodes.size() == 5); // two roots, two nodes of the first tree, one of the second
  CHECK(nodes[0]["id"] == 0);
  CHECK(nodes[1]["id"] == 1);
  CHECK(nodes[1]["state"] == "correct");
  CHECK(nodes[3]["id"] == 3);
  CHECK(nodes[3]["parents"] == json::array({1}));
  CHECK(nodes[3]["score"].get<double>() == Approx(1.45));
  CHECK(nodes[4]["id"] == 4);
  CHECK(parsed(run_command({"best", "--store", dir.path(), "--json"}))[0]["node"] == 3);
}

TEST_CASE("the text of a tree is indented and names states and scores") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  auto r = run_command({"tree", "--store", dir.path()});
  CHECK(r.code == 0);
  CHECK(r.out.find("0  reference, score 1") != std::string::npos);
  CHECK(r.out.find("\n  3  correct, faster, score 2.950") != std::string::npos);
  CHECK(r.out.find("2  build_failed") != std::string::npos);
}

TEST_CASE("show tells prompt, answer, source, verdict, evidence and calls") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  auto n = parsed(run_command({"show", "3", "--store", dir.path(), "--json"}));
  CHECK(n["prompt_text"] == "```ke-task\n{}\n```\nWrite node 3\n");
  CHECK(n["answer_text"].get<std::string>().find("My plan for node 3.") == 0);
  CHECK(n["source_text"] == small_source(3));
  CHECK(n["verdict"]["timing"]["speedup"] == 3);
  CHECK(n["verdict"]["diagnosis"]["bottleneck"] == "compute");
  CHECK(n["evidence"][0]["log"] == "the log of node 3");
  CHECK(n["calls"].size() == 1);
  CHECK(n["calls"][0]["open"] == false);
  auto text = run_command({"show", "3", "--store", dir.path()});
  CHECK(text.code == 0);
  CHECK(text.out.find("speedup 3.00x [2.95, 3.05]") != std::string::npos);
  CHECK(text.out.find("bottleneck: compute") != std::string::npos);
  CHECK(text.out.find("the log of node 3") != std::string::npos);
  auto none = run_command({"show", "99", "--store", dir.path()});
  CHECK(none.code == 2);
  CHECK(none.err == "ke-runtime: campaign small has no node 99: its nodes are 0 to 6\n");
}

TEST_CASE("diff compares two verdicts and the two sources") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  auto r = run_command({"diff", "1", "3", "--store", dir.path()});
  CHECK(r.code == 0);
  CHECK(r.out.find("2.00x [1.95, 2.05]") != std::string::npos);
  CHECK(r.out.find("3.00x [2.95, 3.05]") != std::string::npos);
  CHECK(r.out.find("--- node 1\n+++ node 3\n@@ ") != std::string::npos);
  CHECK(r.out.find("-// candidate 1\n+// candidate 3\n") != std::string::npos);
  CHECK(run_command({"diff", "0", "3", "--store", dir.path()}).out.find("-  reference();") !=
        std::string::npos);
  CHECK(run_command({"diff", "0", "6", "--store", dir.path()}).code == 2);
}

TEST_CASE("best names the winner with a file that holds its source") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  auto best = parsed(run_command({"best", "--store", dir.path(), "--json"}));
  REQUIRE(best.size() == 1);
  CHECK(best[0]["campaign"] == "small");
  CHECK(best[0]["problem"] == "softmax");
  CHECK(best[0]["node"] == 3);
  CHECK(best[0]["claim"] == false);
  CHECK(best[0]["verdict"]["state"] == "correct");
  std::ifstream file{best[0]["source_path"].get<std::string>()};
  CHECK(std::string{std::istreambuf_iterator<char>{file}, {}} == small_source(3));
  auto text = run_command({"best", "--store", dir.path()});
  CHECK(text.out.find("3.00x [2.95, 3.05]") != std::string::npos);
  CHECK(text.out.find("not yet measured again") != std::string::npos);
}

TEST_CASE("best of a store without a winner is an empty list and exit code 1") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  c.plan(2);
  auto r = run_command({"best", "--store", dir.path(), "--json"});
  CHECK(r.code == 1);
  CHECK(json::parse(r.out) == json::array());
}

TEST_CASE("a best that is not faster is shown, but proves nothing") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  auto n = c.plan(1)[0];
  c.ask(n, "p");
  c.answer(n, small_source(n));
  c.judge(n, verdict_state::correct, 0.5);
  auto r = run_command({"best", "--store", dir.path(), "--json"});
  CHECK(r.code == 1);
  CHECK(json::parse(r.out)[0]["verdict"]["decision"] == "slower");
}

TEST_CASE("status without an owner counts what is committed") {
  temp_dir dir;
  {
    auto store = open_store(dir.path());
    small_campaign c{*store};
    typical(c);
  }
  auto d = parsed(run_command({"status", "--store", dir.path(), "--json"}));
  CHECK(d["live"] == false);
  REQUIRE(d["campaigns"].size() == 1);
  const auto& c = d["campaigns"][0];
  CHECK(c["name"] == "small");
  CHECK(c["state"] == "running");
  CHECK(c["stop_reason"].is_null());
  CHECK(c["nodes"] ==
        json{{"correct", 2}, {"build_failed", 1}, {"unanswered", 1}, {"asked", 1}, {"planned", 1}});
  CHECK(c["failures"]["rate_limited"] == 1);
  CHECK(c["failures"]["no_code"] == 1);
  CHECK(c["in_flight"] == 0); // nobody is at work on what is asked and planned
  CHECK(c["best"]["node"] == 3);
  CHECK(c["spend"]["device_s"].get<double>() == Approx(1.5));
  CHECK(c["spend"]["input_tokens"] == 4800);
  CHECK(c["budget"]["candidates"] == 20);
  CHECK(c["workers"] == json::array());
}

TEST_CASE("best, status and report agree that a candidate below the floor is not claimed") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  auto nodes = c.plan(2);
  c.ask(nodes[0], "one");
  c.answer(nodes[0], "int lopsided;\n");
  c.besides = {{"tall", 0.33, 0.32, 0.34}};
  c.judge(nodes[0], verdict_state::correct, 2.34);
  std::string below = "tall: 0.33x [0.32, 0.34] lies below the floor of 0.95";
  auto best = run_command({"best", "--store", dir.path()});
  CHECK(best.code == 1);
  CHECK(best.out.find(below + " ([goal] floor), hence no claim") != std::string::npos);
  auto said = run_command({"status", "--store", dir.path()});
  CHECK(said.out.find("2.34x [2.29, 2.39] over the reference by the search, node 1 (cpu-cpp), no claim: " +
                      below) != std::string::npos);
  auto page = (dir.path() + "/report.html");
  auto report = run_command({"report", "--store", dir.path(), "-o", page});
  CHECK(report.out.find("no claim: " + below) != std::string::npos);

  c.ask(nodes[1], "two");
  c.answer(nodes[1], "int keeps;\n");
  c.besides = {{"tall", 1.2, 1.15, 1.25}};
  c.judge(nodes[1], verdict_state::correct, 1.5);
  best = run_command({"best", "--store", dir.path()});
  CHECK(best.code == 0);
  CHECK(best.out.find("node 2, 1.50x") != std::string::npos);
  said = run_command({"status", "--store", dir.path()});
  CHECK(said.out.find("1.50x [1.45, 1.55] over the reference by the search, node 2 (cpu-cpp)\n") !=
        std::string::npos);
  CHECK(said.out.find("node 1: 2.34x [2.29, 2.39]") != std::string::npos);
  c.finish("stopped");
  CHECK(run_command({"export", "best", "--store", dir.path(), "-o", dir.path() + "/out"}).code == 0);
}

TEST_CASE("the text of status names best, budget, failures and the bottleneck of the best nodes") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  c.finish("stopped");
  auto r = run_command({"status", "--watch", "--store", dir.path()}); // finished: --watch ends at once
  CHECK(r.code == 0);
  CHECK(r.out.find("small: finished (stopped)") != std::string::npos);
  CHECK(r.out.find("3.00x [2.95, 3.05] over the reference by the search, node 3 (cpu-cpp)") !=
        std::string::npos);
  CHECK(r.out.find("16 of 20 candidates") != std::string::npos);
  CHECK(r.out.find("no_code 1, rate_limited 1") != std::string::npos);
  CHECK(r.out.find("node 3: 3.00x [2.95, 3.05] by the search, bottleneck compute") != std::string::npos);
  CHECK(r.out.find("node 1: 2.00x [1.95, 2.05] by the search, bottleneck memory") != std::string::npos);
  auto top = run_command({"top", "--store", dir.path()}); // no terminal: plain lines
  CHECK(top.code == 0);
  CHECK(top.out.find("small: finished, 4/20 candidates, 0 in flight, best 2.950 at node 3") == 0);
}

TEST_CASE("of equal nodes status begins with the one that best names") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  for (auto n : c.plan(2)) {
    c.ask(n, "Write node " + std::to_string(n) + "\n");
    c.answer(n, small_source(n));
    c.judge(n, verdict_state::correct, 3);
  }
  auto text = run_command({"status", "--store", dir.path()}).out;
  INFO(text);
  CHECK(run_command({"best", "--store", dir.path()}).out.find("node 1, 3.00x") != std::string::npos);
  auto first = text.find("node 1: 3.00x"), second = text.find("node 2: 3.00x");
  REQUIRE(second != std::string::npos);
  CHECK(first < second);
}

TEST_CASE("an interrupted campaign keeps the state that its last session left") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign c{*store};
  typical(c);
  c.steer("pause");
  CHECK(parsed(run_command({"status", "--store", dir.path(), "--json"}))["campaigns"][0]["state"] ==
        "paused");
}

TEST_CASE("several campaigns: best takes all, tree wants a name") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign a{*store, 1, "first"}, b{*store, 2, "second", {"cpu-cpp"}, small_problem("conv1d")};
  typical(a);
  typical(b);
  CHECK(parsed(run_command({"best", "--store", dir.path(), "--json"})).size() == 2);
  CHECK(parsed(run_command(
            {"best", "--store", dir.path(), "--campaign", "second", "--json"}))[0]["problem"] == "conv1d");
  auto r = run_command({"tree", "--store", dir.path(), "--json"});
  CHECK(r.code == 2);
  CHECK(r.err.find("name one with --campaign: first, second") != std::string::npos);
  CHECK(run_command({"tree", "--store", dir.path(), "--campaign", "third"}).code == 2);
  CHECK(parsed(run_command({"status", "--store", dir.path(), "--json"}))["campaigns"].size() == 2);
}

TEST_CASE("a store that is not there is one clear line and exit code 2") {
  temp_dir dir;
  auto r = run_command({"status", "--store", dir / "nowhere"});
  CHECK(r.code == 2);
  CHECK(r.err == "ke-runtime: there is no store in " + dir / "nowhere" + "\n");
  CHECK(r.out.empty());
  CHECK(run_command({"status", "--connect", "ipc:///tmp/x", "--store", dir.path()}).code == 2);
  CHECK(run_command({"tree", "--store", dir.path(), "--key", "k"}).code == 2);
}

TEST_CASE("every reading command has an example in its help") {
  for (std::vector<std::string> line : std::vector<std::vector<std::string>>{{"status"},
                                                                             {"top"},
                                                                             {"best"},
                                                                             {"tree"},
                                                                             {"show"},
                                                                             {"diff"},
                                                                             {"report"},
                                                                             {"export"},
                                                                             {"export", "best"},
                                                                             {"export", "csv"},
                                                                             {"export", "tree"},
                                                                             {"store"},
                                                                             {"store", "check"},
                                                                             {"store", "compact"},
                                                                             {"replay"}}) {
    line.push_back("--help");
    auto r = run_command(line);
    INFO(line[0]);
    CHECK(r.code == 0);
    CHECK(r.out.find("Example: ke-runtime " + line[0]) != std::string::npos);
  }
}

TEST_CASE("the older of two campaigns of one name is still there after --fresh") {
  temp_dir dir;
  auto store = open_store(dir.path());
  small_campaign first{*store};
  typical(first);
  small_campaign second{*store, 2};
  auto nodes = [&](const std::string& name) {
    return parsed(run_command({"tree", "--store", dir.path(), "--campaign", name, "--json"}))["nodes"].size();
  };
  CHECK(nodes("small") == 1);
  CHECK(nodes("small@1") == 7);
  CHECK(nodes("small@2") == 1);
  CHECK(run_command({"tree", "--store", dir.path(), "--campaign", "small@3", "--json"}).code == 2);
}
