#include "runtime/playbook/plan/patterns.hpp"

#include "runtime/playbook/plan/blocks.hpp"
#include "runtime/playbook/plan/panels.hpp"

#include <algorithm>

namespace ke::playbook {
namespace {

point panels_point(std::int64_t threads, std::int64_t bytes, std::int64_t rows, std::int64_t vectors,
                   std::int64_t depth, bool both) {
  return {"panels",
          {{"threads", threads},
           {"bytes", bytes},
           {"rows", rows},
           {"vectors", vectors},
           {"depth", depth},
           {"both", both}}};
}

} // namespace

std::string pattern_of(const understood_kernel& u, bool strict) {
  return find_transposition(u) ? "blocks" : find_product(u, strict) ? "panels" : "";
}

std::vector<point> pattern_points(const std::string& pattern, std::int64_t threads,
                                  std::int64_t vector_bytes) {
  std::vector<point> out;
  if (pattern == "blocks") {
    auto blocks = [&](std::int64_t edge, std::int64_t group, std::int64_t count, std::int64_t prefetch) {
      return point{"blocks", {{"threads", count}, {"edge", edge}, {"group", group}, {"prefetch", prefetch}}};
    };
    out = {blocks(16, 4, threads, 0), blocks(16, 4, 1, 0), blocks(16, 8, threads, 0),
           blocks(8, 4, threads, 0),  blocks(16, 8, 1, 0), blocks(32, 4, threads, 0)};
    for (std::int64_t edge : {16, 8, 32, 64})
      for (std::int64_t group : {4, 1, 8})
        out.push_back(blocks(edge, group, threads, 0));
    out.push_back(blocks(16, 4, threads, 1));
    out.push_back(blocks(32, 4, threads, 1));
  }
  if (pattern == "panels") {
    // The sums and one vector per column fill the registers: 32 of them with 64-byte vectors, else 16.
    std::int64_t tall = vector_bytes == 64 ? 12 : 6, flat = vector_bytes == 64 ? 8 : 4;
    out.push_back(panels_point(threads, vector_bytes, tall, 2, 256, true));
    out.push_back(panels_point(threads, vector_bytes, flat, vector_bytes == 64 ? 3 : 2, 256, false));
    out.push_back(panels_point(threads, vector_bytes, flat, vector_bytes == 64 ? 3 : 2, 512, true));
    out.push_back(panels_point(threads, std::min<std::int64_t>(32, vector_bytes), 6, 2, 256, true));
    out.push_back(panels_point(threads, vector_bytes, 4, 1, 256, false));
  }
  return out;
}

std::vector<std::int64_t> pattern_grid(const std::string& pattern, const std::string& parameter) {
  static const std::map<std::string, std::map<std::string, std::vector<std::int64_t>>> grids = {
      {"blocks", {{"edge", {16, 8, 32, 64, 4}}, {"group", {4, 8, 1, 2, 16}}, {"prefetch", {0, 1}}}},
      {"panels",
       {{"rows", {12, 8, 6, 14, 4}},
        {"vectors", {2, 3, 1, 4}},
        {"depth", {256, 512, 128, 1024}},
        {"both", {1, 0}},
        {"bytes", {64, 32}}}}};
  auto plan = grids.find(pattern);
  if (plan == grids.end())
    return {};
  auto it = plan->second.find(parameter);
  return it == plan->second.end() ? std::vector<std::int64_t>{} : it->second;
}

std::string render_pattern(const understood_kernel& u, const point& at, std::int64_t threads,
                           std::int64_t vector_bytes, bool strict) {
  if (at.plan == "blocks") {
    auto found = find_transposition(u);
    if (!found || !value_of(at, "edge", 0) || !value_of(at, "group", 0))
      return {};
    return emit_transposition(u, *found, threads, value_of(at, "edge", 16), value_of(at, "group", 4),
                              value_of(at, "prefetch", 0));
  }
  if (at.plan == "panels") {
    auto found = find_product(u, strict);
    if (!found)
      return {};
    panel_options o;
    o.threads = threads;
    auto bytes = std::min(value_of(at, "bytes", vector_bytes), vector_bytes);
    o.vector_bytes = bytes == 16 || bytes == 32 || bytes == 64 ? bytes : vector_bytes;
    o.rows = value_of(at, "rows", 6);
    o.vectors = value_of(at, "vectors", 2);
    o.depth = value_of(at, "depth", 256);
    o.both = value_of(at, "both", 1);
    return emit_panels(u, *found, o);
  }
  return {};
}

std::string pattern_rationale(const std::string& pattern) {
  if (pattern == "blocks")
    return "The copy runs in square blocks, so that both layouts are read and written in whole cache lines";
  if (pattern == "panels")
    return "The factor along the columns is packed into aligned panels, and a register tile of sums runs "
           "through them";
  return "A pattern of the playbook";
}

} // namespace ke::playbook
