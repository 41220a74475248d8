#include "actors/bench/bench_actors.hpp"
#include "interface/bench/bench_search.hpp"
#include "interface/cli/commands.hpp"
#include "runtime/core/private_folder.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/observe/exit_codes.hpp"
#include "runtime/observe/own_memory.hpp"
#include "runtime/records/stored_campaign.hpp"
#include "runtime/records/synthetic_campaign.hpp"
#include "runtime/search/lab/search_simulation.hpp"
#include "runtime/store/store_service.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <malloc.h>
#include <sys/stat.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <stdexcept>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

/// The folder of this run's own store, removed at its end.
struct scratch_folder {
  scratch_folder() {
    auto made = private_folder::make({}, "ke-bench-");
    if (!made)
      throw std::runtime_error{made.error().text};
    own = *std::move(made);
  }
  std::string store() const { return (own.path() / "store").string(); }
  private_folder own;
};

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

void print(const json& figures, bool as_json) {
  if (as_json) {
    std::cout << json_line(figures) << '\n';
    return;
  }
  for (const auto& [name, value] : figures.items())
    std::cout << name << ": " << json_line(value) << '\n';
}

/// Reads every row of every table: what a resume can't do without touching, at least once.
double scan_seconds(const store_reader& reader) {
  auto begun = std::chrono::steady_clock::now();
  std::uint64_t bytes = 0;
  for (auto t : {table::campaigns, table::nodes, table::hot, table::digests, table::blobs, table::journal})
    (void)reader.scan(t, "", [&](std::string_view key, std::string_view value) {
      bytes += key.size() + value.size();
      return true;
    });
  return bytes > 0 ? seconds_since(begun) : 0;
}

/// A store with one campaign of so many nodes.
status write_large_tree(const std::string& dir, const campaign_settings& settings, std::uint32_t nodes) {
  store_options o;
  o.dir = dir;
  o.program = KE_VERSION;
  auto store = store_service::open(std::move(o));
  if (!store)
    return store.error();
  write_synthetic_campaign(**store, 1, settings, nodes, 1500, 64);
  (*store)->flush();
  return ok;
}

int bench_tree(std::uint32_t nodes, const std::string& policy, bool as_json) {
  auto kind = parse_name<policy_kind>(policy);
  if (!kind)
    return complain({failure_kind::invalid,
                     "--policy: expected mcts, evolution, beam, greedy or best-of-n, not " + policy, false},
                    "bench");
  scratch_folder folder;
  anonymous_peak peak;
  auto settings = synthetic_settings(folder.store(), "http://127.0.0.1:1/v1", nodes + 1000, 320);
  settings.search.policy = *kind;
  auto steps = time_steps(settings.search, {std::min(1000u, nodes), nodes}, 7);
  if (!steps)
    return complain(steps.error(), "bench");
  json select, depth;
  for (const auto& [size, us] : steps->select_us)
    select[std::to_string(size)] = us;
  for (const auto& [size, levels] : steps->depth)
    depth[std::to_string(size)] = levels;
  if (auto written = write_large_tree(folder.store(), settings, nodes); !written)
    return complain(written.error(), "bench");
  struct stat file{};
  stat((folder.store() + "/data.mdb").c_str(), &file);
  auto reader = store_reader::open(folder.store());
  if (!reader)
    return complain(reader.error(), "bench");
  auto scan_s = scan_seconds(*reader);
  malloc_trim(0); // what writing the store left in the heap is not the tree's
  auto begun = std::chrono::steady_clock::now();
  auto stored = read_stored_campaign(*reader, 1, read_folded_start(*reader, 1));
  auto resume_s = seconds_since(begun);
  if (!stored)
    return complain(stored.error(), "bench");
  print({{"nodes", nodes},
         {"select_us", select},
         {"depth", depth},
         {"rss_bytes", anonymous_bytes()},
         {"rss_peak_bytes", peak.bytes()},
         {"db_bytes_per_node", static_cast<double>(file.st_blocks) * 512 / nodes},
         {"resume_s", resume_s},
         {"scan_s", scan_s}},
        as_json);
  return exit_done;
}

/// Where the figures of a bench go.
struct figures_out {
  std::shared_ptr<bool> as_json;
  int& exit_code;

  void operator()(const result<json>& figures) const {
    if (figures)
      print(*figures, *as_json);
    else
      exit_code = complain(figures.error(), "bench");
  }
};

/// bench overhead
void add_overhead(CLI::App& command, const figures_out& finish) {
  auto llm = std::make_shared<std::string>();
  auto* bench = command.add_subcommand(
      "overhead",
      "Cost per candidate of a real campaign with a durable store; evaluations take constant time");
  auto candidates = std::make_shared<std::int64_t>(500), parallel = std::make_shared<std::int64_t>(8),
       preload = std::make_shared<std::int64_t>(0);
  bench->add_option("--candidates", *candidates, "candidates to run")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000));
  bench->add_option("--parallel", *parallel, "nodes in flight")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  bench->add_option("--llm", *llm, "an OpenAI-compatible server, e.g. http://127.0.0.1:8000/v1")->required();
  bench->add_option("--preload", *preload, "evaluated nodes that the campaign already holds")
      ->check(CLI::Range(0, 10'000'000));
  bench->add_flag("--json", *finish.as_json, "print one JSON document");
  bench->callback([=] {
    scratch_folder folder;
    auto f = run_overhead(folder.store(), *llm, *candidates, *parallel, *preload);
    finish(f ? result<json>{json{{"candidates", *candidates},
                                 {"cpu_us_per_candidate", f->cpu_us_per_candidate},
                                 {"candidates_per_s", f->candidates_per_s},
                                 {"nodes_held", f->nodes_held},
                                 {"rss_bytes", f->rss_bytes}}}
             : result<json>{f.error()});
  });
}

/// bench slots
void add_slots(CLI::App& command, const figures_out& finish) {
  auto llm = std::make_shared<std::string>();
  auto* slots = command.add_subcommand("slots", "How busy evaluators stay when models are slow");
  auto count = std::make_shared<std::int64_t>(32);
  auto eval_ms = std::make_shared<double>(200), seconds = std::make_shared<double>(30);
  slots->add_option("--slots", *count, "evaluation slots")->capture_default_str()->check(CLI::Range(1, 4096));
  slots->add_option("--eval-ms", *eval_ms, "time of one evaluation")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1e6));
  slots->add_option("--llm", *llm, "an OpenAI-compatible server")->required();
  auto most = std::make_shared<std::int64_t>(4096);
  slots
      ->add_option("--parallel", *most,
                   "most candidates in flight; needs more than (slots / evaluation time) x model latency")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  slots->add_option("--seconds", *seconds, "how long to run, 5 s of warm-up included")
      ->capture_default_str()
      ->check(CLI::Range(6.0, 3600.0));
  slots->add_flag("--json", *finish.as_json, "print one JSON document");
  slots->footer("llm_in_flight is the mean after the warm-up, llm_in_flight_peak the highest number in the "
                "run. llm_bytes_per_request is the\ngrowth of anonymous memory since before the store and "
                "the actors started, divided by that peak: the process keeps memory\nfor later requests. "
                "LMDB's mapped file and the program's text are not anonymous.\nExample:\n  ke-runtime bench "
                "slots --slots 32 --eval-ms 200 --seconds 35 --llm http://127.0.0.1:8000/v1 --json");
  slots->callback([=] {
    scratch_folder folder;
    auto f = run_slots(folder.store(), *llm, *count, *eval_ms, *seconds, *most);
    finish(f ? result<json>{json{{"utilization", f->utilization},
                                 {"evaluations_per_s", f->evaluations_per_s},
                                 {"llm_in_flight", f->llm_in_flight},
                                 {"llm_in_flight_peak", f->llm_in_flight_peak},
                                 {"llm_bytes_per_request", f->llm_bytes_per_request},
                                 {"threads", f->threads}}}
             : result<json>{f.error()});
  });
}

/// bench tree
void add_large_tree(CLI::App& command, const figures_out& finish) {
  auto* tree = command.add_subcommand("tree", "Selection, memory, database size and resume of a large tree");
  auto nodes = std::make_shared<std::uint32_t>(100'000);
  auto policy = std::make_shared<std::string>("mcts");
  tree->add_option("--nodes", *nodes, "nodes of the tree")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000'000));
  tree->add_option("--policy", *policy, "mcts | evolution | beam | greedy | best-of-n")
      ->capture_default_str();
  tree->add_flag("--json", *finish.as_json, "print one JSON document");
  tree->footer(
      "rss_bytes: anonymous memory with the resumed tree in it. rss_peak_bytes: the most of the run, "
      "which builds one tree for the steps' times and\nfills the store from another. Bytes, as all of /proc "
      "are.\nExample:\n  ke-runtime bench tree --nodes 1000000 --json");
  tree->callback([=] { finish.exit_code = bench_tree(*nodes, *policy, *finish.as_json); });
}

/// bench search
void add_search(CLI::App& command, const figures_out& finish) {
  auto* search = command.add_subcommand(
      "search", "How many evaluations a policy needs on a simulated landscape, in virtual time");
  auto what = std::make_shared<search_bench_options>();
  search->add_option("--landscape", what->landscape, "a landscape file (docs/manual/search.md)")->required();
  search->add_option("--policy", what->policy, "mcts | evolution | beam | greedy | best-of-n")
      ->capture_default_str();
  search->add_option("--memory", what->memory, "parent | siblings | parent+siblings | clean | adaptive")
      ->capture_default_str();
  search->add_option("--seeds", what->seeds, "A..B: a run for each seed from A to B")->capture_default_str();
  search->add_option("--in-flight", what->in_flight, "candidates in flight; 1: serial")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  search
      ->add_option("--evaluations", what->evaluations,
                   "most evaluations of a run; one that stops there counts as this many")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  search->add_option("--set", what->set, "another key of [search], e.g. exploration=0.5; may be repeated");
  search->add_flag("--json", *finish.as_json, "print one JSON document");
  search->footer(
      "Example:\n  ke-runtime bench search --landscape tests/bench/landscapes/rugged.json --policy mcts "
      "--seeds 1..30 --json");
  search->callback([=] {
    auto f = bench_search(*what);
    finish(f ? result<json>{json{{"landscape", f->landscape},
                                 {"policy", what->policy},
                                 {"memory", what->memory},
                                 {"in_flight", what->in_flight},
                                 {"median_evaluations_to_target", f->median_evaluations},
                                 {"median_progress", f->median_progress},
                                 {"reached", f->reached},
                                 {"runs", f->runs},
                                 {"evaluations_to_target", f->evaluations}}}
             : result<json>{f.error()});
  });
}

/// bench dispatch
void add_later(CLI::App& command, const figures_out& finish) {
  auto* later = command.add_subcommand("dispatch", "Comes with a later version");
  later->allow_extras();
  later->callback([finish] {
    finish.exit_code =
        complain({failure_kind::invalid, "bench dispatch comes with a later version", false}, "bench");
  });
}

} // namespace

void add_bench(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "bench", "What the runtime itself costs, measured through its real actors: for sizing a fleet");
  command->require_subcommand(1);
  command->footer("Example:\n  ke-runtime bench overhead --candidates 500 --parallel 8 --llm "
                  "http://127.0.0.1:8000/v1 --json");
  figures_out finish{std::make_shared<bool>(false), exit_code};
  add_overhead(*command, finish);
  add_slots(*command, finish);
  add_large_tree(*command, finish);
  add_search(*command, finish);
  add_later(*command, finish);
}

} // namespace ke::cli
