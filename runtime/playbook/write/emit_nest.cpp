#include "runtime/playbook/write/emitter.hpp"

#include <algorithm>

namespace ke::playbook {
namespace {

bool has_loop(const std::vector<stmt>& body) {
  bool found = false;
  visit(body, [&](const stmt& s) { found = found || s.kind == stmt_kind::loop; });
  return found;
}

/// Contiguous or invariant reads within inner loops that do not change with `variable`: what a register tile
/// over it saves.
double reuse(const std::string& variable, const std::string& lane, const std::vector<stmt>& body) {
  double out = 0;
  std::function<void(const std::vector<stmt>&, bool)> run = [&](const std::vector<stmt>& list, bool inside) {
    for (const auto& s : list) {
      if (inside)
        visit(s.value, [&](const expr& x) {
          if (x.kind == expr_kind::index && !mentions(x.args[0], variable))
            out += !lane.empty() && !mentions(x.args[0], lane) ? 1 : 2;
        });
      run(s.body, inside || s.kind == stmt_kind::loop);
      run(s.other, inside);
    }
  };
  run(body, false);
  return out;
}

} // namespace

std::optional<std::int64_t> emitter::sample(const poly& p) const {
  if (samples_.empty())
    return p.as_constant();
  std::int64_t sum = 0;
  for (const auto& [m, c] : p.terms) {
    auto term = c;
    for (const auto& factor : m) {
      auto it = samples_.front().find(factor);
      term *= it == samples_.front().end() ? 1 : it->second;
    }
    sum += term;
  }
  return sum;
}

std::string emitter::work_of(const stmt& loop) const {
  auto extent = print(binary("-", loop.to, loop.from));
  std::string deepest;
  std::size_t depth = 0;
  for (const auto& s : loop.body) {
    if (s.kind != stmt_kind::loop)
      continue;
    bool plain = true;
    for (const auto& bound : {s.from, s.to})
      visit(bound, [&](const expr& x) {
        plain = plain && (x.kind != expr_kind::name || u_.facts.sizes.count(x.text));
      });
    auto inner = plain ? work_of(s) : std::string{};
    if (plain && inner.size() > depth) {
      depth = inner.size();
      deepest = inner;
    }
  }
  return deepest.empty() ? extent : extent + " * " + deepest;
}

/// Which loop of a nest is best walked by vectors; -1: none.
int emitter::lanes_of(const std::vector<const stmt*>& chain) const {
  const auto& body = chain.back()->body;
  double best = -0.5;
  // What the innermost loops would reach if they were vectorised instead.
  std::function<void(const std::vector<stmt>&)> inner = [&](const std::vector<stmt>& list) {
    for (const auto& s : list) {
      if (s.kind == stmt_kind::loop && !has_loop(s.body))
        best = std::max(best, quality(s.name, s.body) - 0.01);
      inner(s.body);
      inner(s.other);
    }
  };
  if (has_loop(body))
    inner(body);
  int at = -1;
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (chain[i]->step == 1)
      if (auto q = quality(chain[i]->name, body); q >= best) {
        best = q;
        at = static_cast<int>(i);
      }
  return at;
}

/// Which other loop saves most when some of its turns are done side by side; -1: none does.
int emitter::rows_of(const std::vector<const stmt*>& chain, int lane_at) const {
  const auto& body = chain.back()->body;
  if (!has_loop(body))
    return -1;
  int at = -1;
  double most = 0;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    auto saved =
        reuse(chain[i]->name, lane_at < 0 ? "" : chain[static_cast<std::size_t>(lane_at)]->name, body);
    if (static_cast<int>(i) != lane_at && chain[i]->step == 1 && saved > most) {
      most = saved;
      at = static_cast<int>(i);
    }
  }
  return at;
}

bool emitter::nest(const stmt& loop, const frame& f) {
  if (f.rows > 1 || !independent(loop, f.outer, u_.facts))
    return false;
  std::vector<const stmt*> chain{&loop};
  auto outer = f.outer;
  outer.push_back(*range_of(loop));
  while (chain.back()->body.size() == 1 && chain.back()->body[0].kind == stmt_kind::loop) {
    const auto& next = chain.back()->body[0];
    bool rectangular = true;
    for (const auto* around : chain)
      rectangular = rectangular && !mentions(next.from, around->name) && !mentions(next.to, around->name);
    if (!rectangular || !independent(next, outer, u_.facts))
      break;
    chain.push_back(&next);
    outer.push_back(*range_of(next));
  }
  int lane_at = options_.lanes ? lanes_of(chain) : -1,
      row_at = options_.lanes && options_.rows > 1 ? rows_of(chain, lane_at) : -1;
  auto saved = out_;
  auto indent = indent_;
  auto flags = std::tuple{vectorized_, jammed_, reduced_};
  struct attempt {
    int lane, row;
  };
  std::vector<attempt> attempts = {{lane_at, row_at}, {lane_at, -1}, {-1, row_at}, {-1, -1}};
  for (auto [lane_loop, row_loop] : attempts) {
    try {
      nest_as(chain, lane_loop, row_loop,
              row_loop < 0 ? 1 : static_cast<int>(std::clamp<std::int64_t>(options_.rows, 1, 12)), f);
      return true;
    } catch (const not_possible&) {
      out_ = saved;
      indent_ = indent;
      std::tie(vectorized_, jammed_, reduced_) = flags;
    }
  }
  return false;
}

/// The head of a loop over pieces of another loop.
static std::string pieces_header(const std::string& name, const stmt& loop, std::int64_t piece) {
  auto extent = print(binary("-", loop.to, loop.from));
  return "for (int64_t " + name + " = 0; " + name + " < (" + extent + " + " + std::to_string(piece - 1) +
         ") / " + std::to_string(piece) + "; ++" + name + ")";
}

/// A nest's innermost body, by vectors along a loop if there is one, and of that one tile (0: all of it).
void emitter::nest_body(const stmt* lane_loop, const std::vector<stmt>& body, std::int64_t tile,
                        const std::string& id, const frame& f) {
  if (!lane_loop)
    return block(body, f, false);
  auto from = print(lane_loop->from), to = print(lane_loop->to);
  if (tile > 0) {
    auto first = "(" + from + " + tile_" + id + " * " + std::to_string(tile) + ")";
    to = "std::min<int64_t>(" + to + ", " + first + " + " + std::to_string(tile) + ")";
    from = first;
  }
  stmt within = *lane_loop;
  within.body = body;
  vector_loop(within, from, to, f);
}

/// A body for several turns of a loop side by side, and for those that are left one by one.
void emitter::in_rows(const stmt& loop, int rows, const std::string& id, const frame& f,
                      const std::vector<stmt>& body, const std::function<void(const frame&)>& write_body) {
  const auto& r = loop.name;
  auto first = "first_" + id;
  line("const int64_t " + first + " = " + print(loop.from) + " + block_" + id + " * " + std::to_string(rows) +
       ";");
  open("if (" + first + " + " + std::to_string(rows) + " <= " + print(loop.to) + ")");
  line("const int64_t " + r + " = " + first + ";");
  frame h = f;
  h.row = r;
  h.rows = rows;
  h.row_scalars = varying_scalars(body, r, {});
  write_body(h);
  --indent_;
  line("} else {");
  ++indent_;
  open("for (int64_t " + r + " = " + first + "; " + r + " < " + print(loop.to) + "; ++" + r + ")");
  write_body(f);
  close();
  close();
  jammed_ = true;
}

/// Shared out among the threads, if there is enough work in `outermost`.
void emitter::open_loops(const std::vector<std::string>& headers, const stmt& outermost) {
  if (options_.threads > 1 && !headers.empty())
    line("#pragma omp parallel for " +
         (headers.size() > 1 ? "collapse(" + std::to_string(headers.size()) + ") " : std::string{}) +
         "schedule(static) num_threads(" + std::to_string(options_.threads) + ") if (" + work_of(outermost) +
         " > 16384)");
  for (const auto& header : headers)
    open(header);
}

void emitter::nest_as(const std::vector<const stmt*>& chain, int lane_at, int row_at, int rows,
                      const frame& f) {
  const auto& body = chain.back()->body;
  const stmt* lane_loop = lane_at < 0 ? nullptr : chain[static_cast<std::size_t>(lane_at)];
  const stmt* row_loop = row_at < 0 || rows < 2 ? nullptr : chain[static_cast<std::size_t>(row_at)];
  auto id = std::to_string(++fresh_);
  std::vector<std::string> headers;
  frame g = f;
  for (const auto* loop : chain) {
    if (loop != lane_loop)
      g.outer.push_back(*range_of(*loop));
    if (loop == lane_loop || loop == row_loop)
      continue;
    headers.push_back("for (int64_t " + loop->name + " = " + print(loop->from) + "; " + loop->name + " < " +
                      print(loop->to) + "; " + loop->name + " += " + std::to_string(loop->step) + ")");
  }
  std::int64_t tile = lane_loop ? options_.tile : 0;
  if (lane_loop && tile == 0 && headers.empty() && !row_loop && options_.threads > 1)
    tile = 8192;
  if (lane_loop && tile > 0) {
    auto step = options_.unroll * options_.vector_bytes / 4;
    tile = (tile + step - 1) / step * step;
  }
  if (tile > 0 && options_.tile_first)
    headers.push_back(pieces_header("tile_" + id, *lane_loop, tile));
  if (row_loop)
    headers.push_back(pieces_header("block_" + id, *row_loop, rows));
  if (tile > 0 && !options_.tile_first)
    headers.push_back(pieces_header("tile_" + id, *lane_loop, tile));
  open_loops(headers, *chain[0]);
  auto write_body = [&](const frame& h) { nest_body(lane_loop, body, tile, id, h); };
  if (row_loop)
    in_rows(*row_loop, rows, id, g, body, write_body);
  else
    write_body(g);
  for (std::size_t i = 0; i < headers.size(); ++i)
    close();
}

bool emitter::chunked_reduction(const stmt& loop, const frame& f) {
  if (options_.threads < 2 || f.rows > 1 || loop.step != 1 || !memory_independent(loop, f.outer, u_.facts))
    return false;
  auto carried = carried_scalars(loop);
  if (carried.empty())
    return false;
  for (const auto& c : carried)
    if (c.kind == carry_kind::unknown || c.kind == carry_kind::scan || c.type == value_type::unknown ||
        (options_.strict && is_float(c.type) && c.kind != carry_kind::maximum &&
         c.kind != carry_kind::minimum))
      return false;
  auto saved = out_;
  auto indent = indent_;
  try {
    auto id = std::to_string(++fresh_);
    // Fixed pieces, added up in order: the result does not depend on how the threads were scheduled.
    open("");
    piece_of_reduction(loop, carried, id, f);
    join_pieces(carried, id);
    close();
    reduced_ = true;
    return true;
  } catch (const not_possible&) {
    out_ = saved;
    indent_ = indent;
    return false;
  }
}

/// The loop over the pieces, each with scalars of its own.
void emitter::piece_of_reduction(const stmt& loop, const std::vector<carried_scalar>& carried,
                                 const std::string& id, const frame& f) {
  line("constexpr int64_t pieces_" + id + " = 64;");
  line("const int64_t first_" + id + " = " + print(loop.from) + ", count_" + id + " = std::max<int64_t>(0, " +
       print(loop.to) + " - first_" + id + ");");
  for (const auto& c : carried) {
    line(std::string{spelling(c.type)} + " part_" + c.name + "[pieces_" + id + "];");
    line("const " + std::string{spelling(c.type)} + " start_" + c.name + " = " + c.name + ";");
  }
  line("#pragma omp parallel for schedule(static) num_threads(" + std::to_string(options_.threads) +
       ") if (" + work_of(loop) + " > 32768)");
  open("for (int64_t piece = 0; piece < pieces_" + id + "; ++piece)");
  line("const int64_t from_" + id + " = first_" + id + " + count_" + id + " * piece / pieces_" + id + ";");
  line("const int64_t to_" + id + " = first_" + id + " + count_" + id + " * (piece + 1) / pieces_" + id +
       ";");
  for (const auto& c : carried) {
    auto start = c.kind == carry_kind::sum       ? std::string{"0"}
                 : c.kind == carry_kind::product ? "1"
                                                 : "start_" + c.name;
    line(std::string{spelling(c.type)} + " " + c.name + " = " + start + ";");
  }
  walk_piece(loop, id, f);
  for (const auto& c : carried)
    line("part_" + c.name + "[piece] = " + c.name + ";");
  close();
}

/// By vectors along the loop itself, or along one within it.
void emitter::walk_piece(const stmt& loop, const std::string& id, const frame& f) {
  auto before = out_;
  auto depth = indent_;
  try {
    if (has_loop(loop.body) || quality(loop.name, loop.body) < 0)
      throw not_possible{"the inner loops are the better ones"};
    vector_loop(loop, "from_" + id, "to_" + id, f);
  } catch (const not_possible&) {
    out_ = before;
    indent_ = depth;
    auto inner = f;
    inner.outer.push_back(*range_of(loop));
    open("for (int64_t " + loop.name + " = from_" + id + "; " + loop.name + " < to_" + id + "; ++" +
         loop.name + ")");
    block(loop.body, inner, false);
    close();
  }
}

void emitter::join_pieces(const std::vector<carried_scalar>& carried, const std::string& id) {
  open("for (int64_t piece = 0; piece < pieces_" + id + "; ++piece)");
  for (const auto& c : carried) {
    auto part = "part_" + c.name + "[piece]";
    if (c.kind == carry_kind::sum || c.kind == carry_kind::product)
      line(c.name + (c.kind == carry_kind::sum ? " += " : " *= ") + part + ";");
    else
      line(c.name + " = std::" + (c.kind == carry_kind::maximum ? "max" : "min") + "(" + c.name + ", " +
           part + ");");
  }
  close();
}

std::string signature(const kernel_function& kernel) {
  std::string out = "extern \"C\" void kernel(";
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto& p = kernel.parameters[i];
    out += (i ? ", " : "") + std::string{p.pointer && p.constant ? "const " : ""} + spelling(p.type) +
           (p.pointer ? "* __restrict " : " ") + p.name;
  }
  return out + ")";
}

emission emitter::finish() {
  emission out;
  out.source = std::string{candidate_includes} + "\n";
  if (vectorized_)
    out.source += lane_prelude;
  out.source += signature(u_.kernel) + " {\n" + out_ + "}\n";
  out.vectorized = vectorized_;
  out.jammed = jammed_;
  out.reduced = reduced_;
  return out;
}

emission emit_kernel(const understood_kernel& u, const emission_options& options,
                     const std::vector<std::map<std::string, std::int64_t>>& samples) {
  try {
    emitter e{u, options, samples};
    e.block(u.kernel.body, {}, true);
    return e.finish();
  } catch (const std::exception& error) {
    emission out;
    out.why = error.what();
    return out;
  }
}

} // namespace ke::playbook
