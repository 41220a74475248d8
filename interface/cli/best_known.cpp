#include "backends/evaluation/backend.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "interface/cli/access.hpp"
#include "interface/cli/commands.hpp"
#include "interface/cli/figures.hpp"
#include "interface/cli/named_problem.hpp"
#include "interface/cli/output_file.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/solution.hpp"
#include "runtime/core/stable_order.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/records/best_known_baseline.hpp"
#include "runtime/store/store_share.hpp"
#include "runtime/text/json_line.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

struct best_known_options {
  std::string problem, workload, backend, device, source;
  std::size_t top = 5;
  bool all = false, json = false;
};

/// The problem with that workload alone, which then counts even if it is a held-out one.
result<problem> at_workload(problem what, const std::string& wanted) {
  if (wanted.empty())
    return what;
  std::string known;
  for (const auto& w : what.workloads) {
    if (w.name == wanted) {
      auto only = w;
      only.held_out = false;
      what.workloads = {std::move(only)};
      return what;
    }
    known += (known.empty() ? "" : ", ") + w.name;
  }
  return failure{failure_kind::invalid,
                 "problem " + what.name + " has no workload '" + wanted + "'; it has " + known};
}

/// A found solution with what the store still holds of its evidence.
struct known_solution {
  near_solution near;
  std::optional<verdict> evidence; ///< absent where a merge did not bring it
  bool same_problem = false;
  bool other_device = false; ///< than the one that was asked for, or this machine's
  /// How its problem differs from this one, in what a verdict depends on; absent: the store does not hold
  /// that problem.
  std::optional<std::vector<std::string>> differs_in;
  std::optional<workload_timing> on; ///< the workload that was asked for, where this problem's was timed
  double on_score = 0;               ///< its lower bound over the reference
};

/// What is known of the solution on one workload of the problem itself.
void look_at_workload(known_solution& k, const std::string& workload, const std::vector<solution_row>& rows) {
  const auto& r = k.near.row;
  if (!k.same_problem || !k.evidence || !k.evidence->timing || !(r.score > 0))
    return;
  for (const auto& w : k.evidence->timing->workloads)
    if (auto whole = w.name == workload ? score_over_reference(r, rows) : std::nullopt) {
      k.on = w;
      k.on_score = w.low * *whole / r.score;
    }
}

/// Of one family, type and target, those that were timed on the workload come first, the best there proven
/// ones at the head.
void order_by_workload(std::vector<known_solution>& known) {
  order_stably(known, [](const known_solution& a, const known_solution& b) {
    auto order = [](const known_solution& k) {
      const auto& d = k.near.distance;
      return std::tuple{d.other_family,        d.other_dtype, d.target, !k.on, k.on && !is_proven(k.near.row),
                        k.on ? -k.on_score : 0};
    };
    return order(a) < order(b);
  });
}

std::vector<std::string> differences(const problem& a, const problem& b) {
  std::vector<std::string> found;
  auto differ = [&](bool they_do, const char* name) {
    if (they_do)
      found.emplace_back(name);
  };
  differ(a.reference != b.reference, "reference");
  differ(a.dims != b.dims || a.tensors != b.tensors || a.scalars != b.scalars, "tensors");
  differ(a.tolerances != b.tolerances || a.bitwise != b.bitwise || a.tensor_scale != b.tensor_scale,
         "tolerance");
  differ(!(a.policy == b.policy), "policy");
  differ(a.promise != b.promise || a.relations != b.relations, "promises");
  differ(a.workloads != b.workloads, "workloads");
  return found;
}

std::string shape_text(const known_solution& k) {
  if (k.on)
    return k.on->name + " of this problem: " + speedup_text(k.on->speedup, k.on->low, k.on->high);
  std::string text =
      k.near.distance.shape > 0
          ? "a neighbour: each extent " + fixed(std::exp2(k.near.distance.shape), 1) + " times apart (mean)"
      : k.same_problem ? "this problem"
                       : "this shape";
  if (k.same_problem)
    return text;
  if (!k.differs_in)
    return text + "; its problem is not in this store";
  std::string names;
  for (const auto& d : *k.differs_in)
    names += (names.empty() ? "" : ", ") + d;
  return names.empty() ? text : text + "; its problem differs from this one in " + names;
}

std::string worth_text(const solution_row& r) {
  return r.timed ? speedup_text(r.speedup, r.low, r.high) : std::string{"right, not timed"};
}

std::string text_of(const known_solution& k, std::size_t rank) {
  const auto& r = k.near.row;
  auto text = std::to_string(rank) + "  " + worth_text(r) +
              (r.timed ? " over " + (r.baseline.empty() ? "the reference" : r.baseline) : "") +
              (is_proven(r) ? "" : ", NOT PROVEN: the search's own measurement") + "; " + shape_text(k) +
              "\n   problem " + r.problem + ", " + r.place.dtype + ", backend " + r.place.backend + ", on " +
              r.place.device + (k.other_device ? " (another device)" : "") +
              (k.near.distance.other_dtype ? " (another type)" : "") + "\n   campaign " + r.campaign +
              ", node " + std::to_string(r.node.node) + " of store " + r.store.substr(0, 12) + ", measured " +
              time_text(r.measured_unix_ms) + (r.program.empty() ? "" : " by " + r.program) + "\n   source " +
              r.source_digest.substr(0, 16) + (r.bottleneck.empty() ? "" : ", bottleneck " + r.bottleneck) +
              "\n";
  if (k.evidence && k.evidence->timing)
    text += "   medians " + medians_text(*k.evidence->timing) + "\n" +
            workload_lines(*k.evidence->timing, "     ");
  return text;
}

json json_of(const known_solution& k) {
  const auto& r = k.near.row;
  const auto& d = k.near.distance;
  return {{"proven", is_proven(r)},
          {"problem", r.problem},
          {"problem_digest", r.problem_digest},
          {"same_problem", k.same_problem},
          {"differs_in", k.differs_in ? json(*k.differs_in) : json(nullptr)},
          {"distance",
           {{"shape", d.shape},
            {"other_device", k.other_device},
            {"other_backend", d.target == 2},
            {"other_dtype", d.other_dtype}}},
          {"backend", r.place.backend},
          {"device", r.place.device},
          {"dtype", r.place.dtype},
          {"timed", r.timed},
          {"speedup", r.speedup},
          {"ci95", {r.low, r.high}},
          {"score", r.score},
          {"workload",
           k.on ? json{{"name", k.on->name}, {"speedup", k.on->speedup}, {"ci95", {k.on->low, k.on->high}}}
                : json(nullptr)},
          {"baseline", r.baseline.empty() ? "reference" : r.baseline},
          {"store", r.store},
          {"campaign", r.campaign},
          {"node", r.node.node},
          {"target", r.target},
          {"measured_unix_ms", r.measured_unix_ms},
          {"source_digest", r.source_digest},
          {"verdict", k.evidence ? json::parse(verdict_json(*k.evidence)) : json(nullptr)}};
}

/// What is asked for: the problem as it is compared, and where the caller would run it.
struct solution_wish {
  problem given; ///< as in its file
  problem what;  ///< at one workload, if that was named
  solution_place place;
  std::string here; ///< device
};

result<solution_wish> wish_of(problem given, const best_known_options& o) {
  auto what = at_workload(given, o.workload);
  if (!what)
    return what.error();
  auto backend = o.backend;
  if (auto all = load_backends(built_in_backends(), {}); all && backend.empty())
    backend = usual_backend(*all, what->reference_language);
  auto place = place_of(*what, backend, o.device);
  return solution_wish{std::move(given), *std::move(what), std::move(place),
                       o.device.empty() ? cpu_facts().name : o.device};
}

known_solution known_of(near_solution near, const store_reader& store, const solution_wish& wish) {
  known_solution k;
  k.near = std::move(near);
  k.same_problem = is_same_problem(store, k.near.row.problem_digest, wish.given);
  k.other_device = k.near.row.place.device != wish.here;
  if (auto bytes = store.blob(k.near.row.problem_digest))
    if (auto then = unpack<problem>(*bytes))
      k.differs_in = differences(without_baseline(*std::move(then)), wish.given);
  if (auto v = store.row<verdict>(table::verdicts, k.near.row.verdict_digest))
    k.evidence = *std::move(v);
  return k;
}

/// The nearest first; at one workload, the fastest there.
std::vector<known_solution> known_solutions(const std::vector<solution_row>& rows, const store_reader& store,
                                            const solution_wish& wish, const best_known_options& o) {
  std::vector<known_solution> known;
  for (auto& near : nearest_solutions(rows, wish.place, o.workload.empty() ? o.top : rows.size())) {
    known.push_back(known_of(std::move(near), store, wish));
    if (!o.workload.empty())
      look_at_workload(known.back(), o.workload, rows);
  }
  if (!o.workload.empty())
    order_by_workload(known);
  known.resize(std::min(known.size(), o.top));
  return known;
}

status write_source(const known_solution& k, const store_reader& store, const std::string& to) {
  auto source = store.blob(k.near.row.source_digest);
  if (!source)
    return source.error();
  if (to != "-")
    return write_output(to, *source);
  std::cout << *source;
  return ok;
}

void print_json(const std::vector<known_solution>& known) {
  auto document = json::array();
  for (const auto& k : known)
    document.push_back(json_of(k));
  std::cout << json_line(document) << '\n';
}

/// `found`: solutions of this operator in the store.
void print_text(const std::vector<known_solution>& known, std::size_t found, const std::string& operator_name,
                const best_known_options& o) {
  for (std::size_t i = 0; i < known.size(); ++i)
    std::cout << text_of(known[i], i + 1);
  if (known.empty())
    std::cout << "no proven solution for " << operator_name
              << (o.backend.empty() && o.device.empty() ? "" : " there") << "; the store holds " << found
              << " of it that " << (found == 1 ? "is" : "are") << " not proven or for another place"
              << (found && !o.all ? " (--all shows them)" : "") << '\n';
}

int best_known(const access_options& where, const best_known_options& o) {
  auto what = named_problem(o.problem);
  if (!what)
    return exit_usage;
  auto wish = wish_of(*std::move(what), o);
  if (!wish)
    return complain(wish.error());
  auto a = open_access(where);
  if (!a)
    return complain(a.error());
  auto store = local_store(*a, "best-known");
  if (!store)
    return complain(store.error());
  auto operator_name = operator_of(wish->what);
  auto rows = read_solutions(*store, operator_name);
  if (!rows)
    return complain(rows.error());
  auto found = rows->size();
  std::erase_if(*rows, [&](const solution_row& r) {
    return (!o.all && !is_proven(r)) || (!o.backend.empty() && r.place.backend != o.backend) ||
           (!o.device.empty() && r.place.device != o.device);
  });
  auto known = known_solutions(*rows, *store, *wish, o);
  if (!known.empty() && !o.source.empty())
    if (auto written = write_source(known.front(), *store, o.source); !written)
      return complain(written.error());
  if (known.empty() || o.source != "-") { // else stdout is the source's
    if (o.json)
      print_json(known);
    else
      print_text(known, found, operator_name, o);
  }
  return std::ranges::any_of(known, [](const auto& k) { return is_proven(k.near.row); }) ? exit_done
                                                                                         : exit_unproven;
}

} // namespace

void add_best_known(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "best-known", "The best proven solution in a store for a problem, its shape or its neighbours");
  auto o = std::make_shared<best_known_options>();
  command
      ->add_option("PROBLEM", o->problem, "problem.toml, a folder that holds one, or a KernelBench .py file")
      ->required();
  auto where = add_access(*command);
  command->add_option("--workload", o->workload, "Only for this workload's shape (default: every shape)");
  command->add_option("--backend", o->backend, "Only solutions of this backend");
  command->add_option("--device", o->device, "Only solutions measured on this device, named as in `status`");
  command->add_option("--top", o->top, "How many to show (default: 5)")->check(CLI::Range(1, 1000));
  command->add_flag("--all", o->all, "Unclaimed solutions, too: no claim measured them again");
  command->add_option("--source", o->source, "Write the source of the first one to this file; - for stdout");
  command->add_flag("--json", o->json, "One JSON document");
  command->footer("Example: ke-runtime best-known config/problems/softmax --workload rows --store "
                  "DIR\nOrder: this backend first, then the nearest shape, then the highest proven "
                  "bound.\nExit code: 0 if one of them is proven, else 1.");
  command->callback([=, &exit_code] { exit_code = guarded([&] { return best_known(*where, *o); }); });
}

} // namespace ke::cli
