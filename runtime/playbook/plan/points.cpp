#include "runtime/playbook/plan/points.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/playbook/plan/patterns.hpp"
#include "runtime/playbook/write/emission.hpp"

#include <algorithm>
#include <set>

namespace ke::playbook {
namespace {

std::int64_t widest(const task& t) {
  if (t.isa.find("avx512") != std::string::npos)
    return 64;
  if (t.isa.empty() || t.isa.find("avx") != std::string::npos)
    return 32;
  return 16;
}

bool uses_double(const understood_kernel& u) {
  bool found = false;
  visit(u.kernel.body,
        [&](const stmt& s) { found = found || (s.kind == stmt_kind::declare && s.type == value_type::f64); });
  visit_exprs(u.kernel.body, [&](const expr& x) { found = found || x.type == value_type::f64; });
  return found;
}

bool outputs_single(const task& t) {
  return std::all_of(t.tensors.begin(), t.tensors.end(), [](const task_tensor& x) {
    return x.role == "in" || (x.dtype != "f64" && x.dtype != "i64" && x.dtype != "i32");
  });
}

bool divides(const understood_kernel& u) {
  bool found = false;
  visit_exprs(u.kernel.body, [&](const expr& x) {
    found = found || (x.kind == expr_kind::binary && x.text == "/" && is_float(x.type));
  });
  visit(u.kernel.body, [&](const stmt& s) { found = found || (s.op == "/=" && is_float(s.target->type)); });
  return found;
}

std::vector<std::map<std::string, std::int64_t>> samples(const task& t, const understood_kernel& u) {
  std::vector<std::map<std::string, std::int64_t>> out;
  auto first = t.tensors.size() + t.scalars.size();
  for (const auto& w : t.workloads) {
    std::map<std::string, std::int64_t> named;
    for (std::size_t k = 0; k < t.dims.size(); ++k)
      if (auto it = w.find(t.dims[k]); it != w.end())
        named[u.kernel.parameters[first + k].name] = it->second;
    out.push_back(std::move(named));
  }
  return out;
}

/// What the space of this kernel looks like: which parameters change its text at all.
struct shape_of_space {
  bool vectors = false, rows = false, narrow = false, divide = false;
  std::string pattern; ///< a family emitter that fits; empty: none
};

shape_of_space explore(const task& t, const understood_kernel& u) {
  shape_of_space out;
  emission_options options;
  options.threads = t.threads;
  options.vector_bytes = widest(t);
  options.strict = t.bitwise;
  options.rows = 4;
  auto trial = emit_kernel(u, options, samples(t, u));
  out.vectors = trial.vectorized;
  out.rows = trial.jammed;
  out.narrow = !t.bitwise && uses_double(u) && outputs_single(t);
  out.divide = !t.bitwise && divides(u);
  out.pattern = pattern_of(u, t.bitwise);
  return out;
}

point lanes_point(const task& t, std::int64_t unroll, std::int64_t rows) {
  return {"lanes",
          {{"threads", t.threads},
           {"bytes", widest(t)},
           {"unroll", unroll},
           {"rows", rows},
           {"tile", 0},
           {"tile_first", 0},
           {"reciprocal", 0},
           {"prefetch", 0},
           {"single", 0}}};
}

point with(point p, const char* name, std::int64_t v) {
  p.parameters[name] = v;
  return p;
}

void add(std::vector<point>& to, point p) {
  if (std::find(to.begin(), to.end(), p) == to.end())
    to.push_back(std::move(p));
}

/// The values that a parameter may take, the promising ones first.
std::vector<std::int64_t> grid(const task& t, const shape_of_space& space, const std::string& plan,
                               const std::string& name) {
  if (name == "threads")
    return t.threads > 1 ? std::vector<std::int64_t>{t.threads, 1} : std::vector<std::int64_t>{1};
  if (plan == "hints")
    return name == "simd"                     ? std::vector<std::int64_t>{1, 0}
           : name == "single" && space.narrow ? std::vector<std::int64_t>{1, 0}
                                              : std::vector<std::int64_t>{};
  if (plan != "lanes")
    return pattern_grid(plan, name);
  if (name == "bytes")
    return widest(t) == 64 ? std::vector<std::int64_t>{64, 32} : std::vector<std::int64_t>{widest(t)};
  if (name == "unroll")
    return {2, 4, 1, 3, 8};
  if (name == "rows")
    return space.rows ? std::vector<std::int64_t>{4, 6, 8, 2, 3, 1, 12} : std::vector<std::int64_t>{1};
  if (name == "tile")
    return {0, 512, 256, 1024, 4096, 16384, 128};
  if (name == "tile_first")
    return space.rows ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{0};
  if (name == "prefetch")
    return {0, 8, 4, 16};
  if (name == "reciprocal")
    return space.divide ? std::vector<std::int64_t>{1, 0} : std::vector<std::int64_t>{0};
  if (name == "single")
    return space.narrow ? std::vector<std::int64_t>{1, 0} : std::vector<std::int64_t>{0};
  return {};
}

/// Whether a parameter acts on what holds the parent back: such changes are tried first.
bool acts_on(const std::string& bottleneck, const std::string& name) {
  static const std::map<std::string, std::set<std::string>> levers = {
      {"memory", {"tile", "tile_first", "prefetch", "edge", "group", "depth", "both", "rows", "threads"}},
      {"compute", {"unroll", "rows", "vectors", "bytes", "single", "reciprocal"}},
      {"latency", {"unroll", "rows", "vectors", "prefetch"}},
      {"frontend", {"unroll", "rows"}},
      {"overhead", {"threads", "both"}}};
  auto it = levers.find(bottleneck);
  return it != levers.end() && it->second.count(name) > 0;
}

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

point base_point(const task& t, const shape_of_space& space, std::int64_t unroll, std::int64_t rows) {
  auto p = lanes_point(t, unroll, rows);
  p.parameters["single"] = space.narrow;
  p.parameters["reciprocal"] = space.divide;
  return p;
}

/// Loads of half a cache line never cross into the next one where data is aligned to vectors of 32 bytes.
point narrow_point(const task& t, const shape_of_space& space) {
  return with(base_point(t, space, 4, 1), "bytes", std::min<std::int64_t>(32, widest(t)));
}

/// What the first drafts guessed, varied.
void add_variations(const task& t, const shape_of_space& space, const point& hints, std::vector<point>& out) {
  auto base = [&](std::int64_t unroll, std::int64_t rows) { return base_point(t, space, unroll, rows); };
  if (space.rows) {
    add(out, base(2, 6));
    add(out, base(4, 4));
    add(out, with(with(base(2, 8), "tile", 512), "tile_first", 1));
    add(out, with(with(base(2, 6), "tile", 128), "tile_first", 1));
    add(out, with(base(4, 2), "tile", 512));
    add(out, base(2, 12));
    add(out, base(1, 8));
  }
  add(out, hints);
  add(out, lanes_point(t, 4, space.rows ? 4 : 1));
  add(out, base(2, 1));
  add(out, base(8, 1));
  add(out, narrow_point(t, space));
  add(out, with(space.rows ? base(2, 4) : base(4, 1), "prefetch", 8));
  add(out, with(base(4, 1), "tile", 1024));
  add(out, with(base(2, 1), "tile", 16384));
  add(out, with(base(4, 1), "reciprocal", 0));
}

/// Drafts of a kernel with vectors, the best guesses first.
std::vector<point> vector_drafts(const task& t, const shape_of_space& space, const point& hints) {
  auto base = [&](std::int64_t unroll, std::int64_t rows) { return base_point(t, space, unroll, rows); };
  std::vector<point> out;
  // A campaign may end after six drafts: one that is surely right, then the best guesses, each of another
  // kind. Later ones vary what the first ones guessed.
  auto patterns = pattern_points(space.pattern, t.threads, widest(t));
  add(out, lanes_point(t, space.rows ? 2 : 4, space.rows ? 4 : 1));
  if (!patterns.empty())
    add(out, patterns[0]);
  auto best = space.rows ? with(base(3, 8), "bytes", widest(t)) : base(4, 1);
  add(out, best);
  // Small work is done before a second thread has woken up; on a busy machine threads wait for each other.
  add(out, with(patterns.empty() ? best : patterns[0], "threads", 1));
  auto narrow = narrow_point(t, space);
  add(out, patterns.size() > 1 ? patterns[1] : narrow);
  add(out, with(space.rows ? base(2, 6) : narrow, "threads", 1));
  add(out, with(base(space.rows ? 4 : 8, 1), "threads", 1));
  if (!space.rows)
    add(out, hints);
  for (const auto& p : patterns)
    add(out, p);
  add_variations(t, space, hints, out);
  return out;
}

/// Points that differ from one in a parameter (near) or in two (far), each with its place in the order to try.
struct neighbours {
  std::vector<std::pair<std::uint64_t, point>> near, far;
};

neighbours neighbours_of(const task& t, const understood_kernel& u, const point& from) {
  auto space = explore(t, u);
  neighbours found;
  for (const auto& [name, old] : from.parameters) {
    std::uint64_t rank = 0;
    for (auto fresh : grid(t, space, from.plan, name)) {
      ++rank;
      if (fresh == old)
        continue;
      auto one = with(from, name.c_str(), fresh);
      // The drawn part outweighs the rank only between neighbours in rank, so that seeds differ but stay
      // sensible.
      auto ahead = acts_on(t.bottleneck, name) ? 0u : 2500u;
      found.near.emplace_back(rank * 1000 + ahead + mixed(t.seed ^ mixed(checksum_of(to_json(one)))) % 2500,
                              one);
      for (const auto& [other, other_old] : from.parameters) {
        if (other <= name)
          continue;
        std::uint64_t other_rank = 0;
        for (auto second : grid(t, space, from.plan, other)) {
          ++other_rank;
          if (second == other_old)
            continue;
          auto two = with(one, other.c_str(), second);
          found.far.emplace_back(
              (rank + other_rank) * 1000 + mixed(t.seed ^ mixed(checksum_of(to_json(two)))) % 5000, two);
        }
      }
    }
  }
  return found;
}

} // namespace

std::string render(const task& t, const understood_kernel& u, const point& at) {
  emission_options options;
  options.threads =
      std::clamp<std::int64_t>(value_of(at, "threads", 1), 1, std::max<std::int64_t>(1, t.threads));
  options.strict = t.bitwise;
  std::string text;
  auto kernel = u;
  if (value_of(at, "single", 0) && !t.bitwise && outputs_single(t))
    narrow_to_float(kernel.kernel);
  if (at.plan == "hints") {
    options.lanes = false;
    options.hints = value_of(at, "simd", 1);
    text = emit_kernel(kernel, options, samples(t, u)).source;
  } else if (at.plan == "lanes") {
    options.vector_bytes = std::min(value_of(at, "bytes", widest(t)), widest(t));
    if (options.vector_bytes != 16 && options.vector_bytes != 32 && options.vector_bytes != 64)
      options.vector_bytes = widest(t);
    options.unroll = std::clamp<std::int64_t>(value_of(at, "unroll", 1), 1, 8);
    options.rows = std::clamp<std::int64_t>(value_of(at, "rows", 1), 1, 12);
    options.tile = std::clamp<std::int64_t>(value_of(at, "tile", 0), 0, 1 << 20);
    options.tile_first = value_of(at, "tile_first", 0);
    options.prefetch = std::clamp<std::int64_t>(value_of(at, "prefetch", 0), 0, 64);
    options.reciprocal = value_of(at, "reciprocal", 0) && !t.bitwise;
    text = emit_kernel(kernel, options, samples(t, u)).source;
  } else {
    text = render_pattern(kernel, at, options.threads, widest(t), t.bitwise);
  }
  if (text.empty())
    return {};
  auto calls = [&](const char* helper) { return text.find(helper) != std::string::npos; };
  if (calls("ke_bf16_to_float(") || calls("ke_float_to_bf16(") || calls("ke_f8e4m3_to_float(") ||
      calls("ke_float_to_f8e4m3(") || calls("ke_f8e5m2_to_float(") || calls("ke_float_to_f8e5m2("))
    text.insert(0, "#include \"ke.h\"\n");
  return "// " + at.plan + ": made from the reference's loops.\n// ke-point: " + to_json(at) + "\n" + text;
}

std::vector<point> drafts(const task& t, const understood_kernel& u) {
  auto space = explore(t, u);
  std::vector<point> out;
  point hints{"hints", {{"threads", t.threads}, {"simd", 1}, {"single", 0}}};
  if (space.vectors) {
    out = vector_drafts(t, space, hints);
  } else {
    for (const auto& p : pattern_points(space.pattern, t.threads, widest(t)))
      add(out, p);
    add(out, hints);
  }
  if (space.narrow)
    add(out, with(hints, "single", 1));
  add(out, with(hints, "simd", 0));
  add(out, with(hints, "threads", 1));
  return out;
}

std::vector<point> improvements(const task& t, const understood_kernel& u, const point& from) {
  auto [near, far] = neighbours_of(t, u, from);
  auto by_rank = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : to_json(a.second) < to_json(b.second);
  };
  std::sort(near.begin(), near.end(), by_rank);
  std::sort(far.begin(), far.end(), by_rank);
  std::vector<point> out;
  for (auto& [rank, p] : near)
    add(out, std::move(p));
  for (auto& p : drafts(t, u))
    add(out, std::move(p));
  for (auto& [rank, p] : far)
    if (out.size() < 400)
      out.push_back(std::move(p));
  return out;
}

std::vector<point> simplifications(const task& t, const understood_kernel& u, const point& from) {
  std::vector<point> out;
  auto p = from;
  auto plainer = [&](const char* name, std::int64_t v) {
    if (auto it = p.parameters.find(name); it != p.parameters.end() && it->second != v) {
      it->second = v;
      add(out, p);
    }
  };
  // The likeliest cause of the parent's failure is taken out first: precision, then code that is hard to
  // compile.
  plainer("single", 0);
  plainer("reciprocal", 0);
  plainer("rows", 1);
  plainer("tile", 0);
  plainer("prefetch", 0);
  plainer("unroll", 1);
  plainer("threads", 1);
  for (auto simd : {1, 0})
    add(out, {"hints", {{"threads", t.threads}, {"simd", simd}, {"single", 0}}});
  for (auto& d : drafts(t, u))
    add(out, std::move(d));
  return out;
}

std::string rationale(const task& t, const point& at) {
  std::string out;
  auto threads = value_of(at, "threads", 1);
  if (at.plan == "hints")
    out = "The loops stay as they are; independent iterations are marked for OpenMP and the vectoriser";
  else if (at.plan == "lanes")
    out = "The best contiguous loop runs in vectors of " + std::to_string(value_of(at, "bytes", 32)) +
          " bytes, " + std::to_string(value_of(at, "unroll", 1)) + " at a time" +
          (value_of(at, "rows", 1) > 1
               ? ", with a register tile of " + std::to_string(value_of(at, "rows", 1)) + " rows"
               : "") +
          (value_of(at, "single", 0) ? ", in float throughout" : "");
  else
    out = pattern_rationale(at.plan);
  if (threads > 1)
    out += ", over " + std::to_string(threads) + " threads";
  if (!t.bottleneck.empty())
    out += "; the parent was bound by " + t.bottleneck;
  return out + ".";
}

} // namespace ke::playbook
