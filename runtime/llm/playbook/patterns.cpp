#include "runtime/llm/playbook/patterns.hpp"

#include "runtime/llm/playbook/blocks.hpp"

namespace ke::playbook {

std::string pattern_of(const understood_kernel& u) {
  return find_transposition(u) ? "blocks" : "";
}

std::vector<point> pattern_points(const std::string& pattern, std::int64_t threads) {
  std::vector<point> out;
  if (pattern == "blocks")
    for (std::int64_t edge : {16, 8, 32, 64})
      for (std::int64_t group : {4, 1, 8})
        out.push_back({"blocks", {{"threads", threads}, {"edge", edge}, {"group", group}}});
  return out;
}

std::vector<std::int64_t> pattern_grid(const std::string& pattern, const std::string& parameter) {
  if (pattern == "blocks" && parameter == "edge")
    return {16, 8, 32, 64, 4};
  if (pattern == "blocks" && parameter == "group")
    return {4, 8, 1, 2, 16};
  return {};
}

std::string render_pattern(const understood_kernel& u, const point& at, std::int64_t threads, std::int64_t,
                           bool) {
  if (at.plan != "blocks")
    return {};
  auto found = find_transposition(u);
  auto edge = at.parameters.find("edge"), group = at.parameters.find("group");
  if (!found || edge == at.parameters.end() || group == at.parameters.end())
    return {};
  return emit_transposition(u, *found, threads, edge->second, group->second);
}

std::string pattern_rationale(const std::string& pattern) {
  if (pattern == "blocks")
    return "The copy runs in square blocks, so that both layouts are read and written in whole cache lines";
  return "A pattern of the playbook";
}

} // namespace ke::playbook
