// How much does one search step cost, and does it stay flat? (goals G3, G6 and G7 of the performance page)
//   search_bench [NODES] [POLICY]
// Prints one JSON object; exit code 1 if a goal is missed at a million nodes.

#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/search/lab/search_simulation.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  auto nodes = argc > 1 ? static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)) : 1'000'000u;
  ke::search_settings search;
  search.parallel = 64;
  if (argc > 2) {
    auto kind = ke::parse_name<ke::policy_kind>(argv[2]);
    if (!kind) {
      std::fprintf(stderr,
                   "search_bench: unknown policy %s; use mcts, evolution, beam, greedy or best-of-n\n",
                   argv[2]);
      return 2;
    }
    search.policy = *kind;
  }
  auto timing = ke::time_steps(search, {1000, nodes});
  if (!timing) {
    std::fprintf(stderr, "search_bench: %s\n", timing.error().text.c_str());
    return 2;
  }
  auto small = timing->select_us[1000], large = timing->select_us[nodes];
  auto deeper = timing->depth[nodes] / timing->depth[1000];
  auto per_node = static_cast<double>(timing->bytes) / timing->nodes;
  std::printf("{\"policy\": \"%s\", \"select_us\": {\"1000\": %.3f, \"%u\": %.3f}, \"ratio\": %.2f, "
              "\"deeper\": %.2f, \"bytes_per_node\": %.1f, "
              "\"deepest\": %u}\n",
              std::string{ke::to_text(search.policy)}.c_str(), small, nodes, large, large / small, deeper,
              per_node, timing->deepest);
  return nodes >= 1'000'000 && (large > 10 || large > deeper * small || per_node > 100) ? 1 : 0;
}
