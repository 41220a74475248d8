#include "runtime/playbook/plan/panels.hpp"

#include "runtime/playbook/write/emitter.hpp"

#include <algorithm>
#include <string_view>

namespace ke::playbook {

/// panel_store.h, embedded by the build: the memory that packed panels lie in.
extern const std::string_view panel_prelude;

namespace {

/// The factors of a product; conversions to `type` on the way are dropped.
void factors_of(const expr_ptr& e, value_type type, std::vector<expr_ptr>& out) {
  if (e->kind == expr_kind::binary && e->text == "*" && is_float(e->type)) {
    for (const auto& arg : e->args)
      factors_of(arg, type, out);
  } else if (e->kind == expr_kind::cast && e->type == type && is_float(e->args[0]->type)) {
    factors_of(e->args[0], type, out);
  } else {
    out.push_back(e);
  }
}

bool only_sizes(const stmt& loop, const kernel_facts& facts) {
  bool ok = true;
  for (const auto& bound : {loop.from, loop.to})
    visit(bound, [&](const expr& x) {
      ok = ok && x.kind != expr_kind::index && (x.kind != expr_kind::name || facts.sizes.count(x.text));
    });
  return ok;
}

std::string header(const stmt& loop, const std::string& from, const std::string& to) {
  return "for (int64_t " + loop.name + " = " + from + "; " + loop.name + " < " + to + "; ++" + loop.name +
         ")";
}
std::string header(const stmt& loop) {
  return header(loop, print(loop.from), print(loop.to));
}
std::string extent(const stmt& loop) {
  return "std::max<int64_t>(0, " + print(loop.to) + " - " + print(loop.from) + ")";
}

/// Text with indentation. Names of the emitter's own begin with `$` until the kernel's names are known.
struct writer {
  std::string out;
  int depth = 1;
  void line(const std::string& text) {
    out += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text + "\n";
  }
  void open(const std::string& text) {
    line(text.empty() ? "{" : text + " {");
    ++depth;
  }
  void close() {
    --depth;
    line("}");
  }
  void statements(const std::vector<stmt>& list) {
    for (const auto& s : list) {
      if (s.kind == stmt_kind::declare)
        line(std::string{spelling(s.type)} + " " + s.name + (s.value ? " = " + print(s.value) : "{}") + ";");
      else if (s.kind == stmt_kind::assign)
        line(print(s.target) + " " + s.op + " " + print(s.value) + ";");
      else {
        open("if (" + print(s.value) + ")");
        statements(s.body);
        close();
        if (!s.other.empty()) {
          open("else");
          statements(s.other);
          close();
        }
      }
    }
  }
};

} // namespace

std::optional<product> find_product(const understood_kernel& u, bool strict) {
  if (u.kernel.body.size() != 1 || u.kernel.body[0].kind != stmt_kind::loop)
    return std::nullopt;
  product out;
  std::vector<const stmt*> kept;
  std::vector<loop_range> outer;
  const auto* at = &u.kernel.body[0];
  while (true) {
    if (at->step != 1 || !only_sizes(*at, u.facts) || !independent(*at, outer, u.facts))
      return std::nullopt;
    kept.push_back(at);
    outer.push_back(*range_of(*at));
    if (at->body.size() != 1 || at->body[0].kind != stmt_kind::loop)
      break;
    at = &at->body[0];
  }
  const stmt* sum_loop = nullptr;
  for (const auto& s : at->body) {
    if (s.kind == stmt_kind::loop && !sum_loop)
      sum_loop = &s;
    else if (s.kind == stmt_kind::loop || s.kind == stmt_kind::array || s.kind == stmt_kind::leave)
      return std::nullopt;
    else
      (sum_loop ? out.after : out.before).push_back(s);
  }
  bool plain = sum_loop != nullptr;
  for (const auto& s : out.before)
    plain = plain && s.kind == stmt_kind::declare;
  visit(out.after, [&](const stmt& s) {
    plain =
        plain && (s.kind == stmt_kind::declare || s.kind == stmt_kind::assign || s.kind == stmt_kind::branch);
  });
  if (!plain)
    return std::nullopt;
  stmt update = *sum_loop;
  while (update.kind == stmt_kind::loop) {
    if (sum_loop->step != 1 || sum_loop->body.empty() || !only_sizes(*sum_loop, u.facts))
      return std::nullopt;
    out.reduction.push_back(sum_loop);
    // What the innermost body only names is read where it is used.
    update = sum_loop->body.back();
    for (std::size_t k = sum_loop->body.size() - 1; k-- > 0;) {
      const auto& d = sum_loop->body[k];
      if (d.kind != stmt_kind::declare || !d.value || update.kind != stmt_kind::assign)
        return std::nullopt;
      update.value = replace_name(update.value, d.name, cast(d.type, d.value));
    }
    sum_loop = &sum_loop->body.back();
  }
  if (update.kind != stmt_kind::assign || update.op != "+=" || update.target->kind != expr_kind::name)
    return std::nullopt;
  out.sum = update.target->text;
  out.type = update.target->type;
  if (out.type != value_type::f32 && out.type != value_type::f64)
    return std::nullopt;
  if (std::none_of(out.before.begin(), out.before.end(),
                   [&](const stmt& s) { return s.name == out.sum && s.value; }))
    return std::nullopt;

  const expr_ptr* store = nullptr;
  for (const auto& s : out.after)
    if (s.kind == stmt_kind::assign && s.target->kind == expr_kind::index)
      store = &s.target->args[0];
  if (!store)
    return std::nullopt;
  for (const auto* loop : kept)
    if (contiguous(*store, loop->name))
      out.columns = loop;
  if (!out.columns)
    return std::nullopt;

  std::vector<expr_ptr> factors;
  factors_of(update.value, out.type, factors);
  // A product of more than two factors, or one that is rounded before it is added, would round otherwise.
  if (factors.size() < 2 || (strict && (factors.size() != 2 || update.value->type != out.type ||
                                        factors[0]->type != factors[1]->type)))
    return std::nullopt;
  auto written = assigned_in(u.kernel.body);
  auto own = declared_in(out.before);
  for (const auto& f : factors) {
    bool allowed = true;
    visit(f, [&](const expr& x) {
      allowed = allowed && x.type != value_type::unknown && !own.count(x.text) &&
                !(x.kind == expr_kind::index && written.count(x.text)) && x.kind != expr_kind::ternary;
    });
    if (!allowed)
      return std::nullopt;
    auto& side = mentions(f, out.columns->name) ? out.right : out.left;
    auto mine = cast(out.type, f);
    side = side ? binary("*", side, mine) : mine;
  }
  if (!out.left || !out.right)
    return std::nullopt;
  for (const auto* loop : kept)
    if (loop != out.columns && mentions(out.left, loop->name) && !mentions(out.right, loop->name))
      out.rows = loop;
  if (!out.rows)
    return std::nullopt;
  for (const auto* loop : kept)
    if (loop != out.columns && loop != out.rows)
      out.batches.push_back(loop);
  visit(out.right, [&](const expr& x) {
    if (x.kind == expr_kind::index && !contiguous(x.args[0], out.columns->name) &&
        contiguous(x.args[0], out.reduction.back()->name))
      out.right_along = true;
  });
  return out;
}

std::string emit_panels(const understood_kernel& u, const product& p, const panel_options& o) {
  auto lanes = std::clamp<std::int64_t>(o.vector_bytes, 16, 64) / bytes_of(p.type);
  auto tile_rows = std::clamp<std::int64_t>(o.rows, 1, 16),
       vectors = std::clamp<std::int64_t>(o.vectors, 1, 4);
  auto depth = std::clamp<std::int64_t>(o.depth, 1, 1 << 20);
  auto tiles_per_block = std::max<std::int64_t>(1, 96 / tile_rows);
  std::string T = spelling(p.type);
  const auto &i = p.rows->name, &j = p.columns->name;
  std::string work = extent(*p.rows) + " * " + extent(*p.columns) + " * $steps";
  writer w;
  w.line("// A register tile is `tile` rows by `wide` columns; a block of rows stays in the second-level "
         "cache.");
  w.line("constexpr int64_t $tile = " + std::to_string(tile_rows) +
         ", $wide = " + std::to_string(lanes * vectors) +
         ", $block_rows = " + std::to_string(tiles_per_block) + " * $tile;");
  w.line("using $V = vec<" + T + ", " + std::to_string(lanes) + ">;");
  w.line("const int64_t $row_from = " + print(p.rows->from) + ", $row_to = " + print(p.rows->to) + ";");
  w.line("const int64_t $column_from = " + print(p.columns->from) + ", $column_to = " + print(p.columns->to) +
         ";");
  w.line("if ($row_from >= $row_to || $column_from >= $column_to)");
  w.line("  return;");
  std::string inner = "1";
  for (std::size_t k = 1; k < p.reduction.size(); ++k)
    inner += " * " + extent(*p.reduction[k]);
  w.line("const int64_t $inner = " + inner + ", $steps = " + extent(*p.reduction[0]) + " * $inner;");
  w.line("const int64_t $panels = ($column_to - $column_from + $wide - 1) / $wide;");
  w.line("const int64_t $blocks = ($row_to - $row_from + $block_rows - 1) / $block_rows;");
  w.line("const int64_t $tiles = ($row_to - $row_from + $tile - 1) / $tile;");
  auto buffer = [&](const std::string& name, const std::string& count) {
    w.line("const auto $store_of_" + name + " = ke_panel_room<" + T + ">(" + count + ");");
    w.line(T + "* const " + name + " = $store_of_" + name + ".get();");
  };
  buffer("$packed", "$panels * $steps * $wide");
  if (o.both)
    buffer("$packed_rows", "$tiles * $steps * $tile");
  for (const auto* loop : p.batches)
    w.open(header(*loop));
  if (o.threads > 1)
    w.line("#pragma omp parallel num_threads(" + std::to_string(o.threads) + ") if (" + work + " > 65536)");
  w.open("");

  auto parallel = [&](const char* extra) {
    if (o.threads > 1)
      w.line(std::string{"#pragma omp for "} + extra + "schedule(static)");
  };
  // One element per step and column (or row), where the tile will read it.
  auto pack = [&](const std::string& name, const std::string& count, const std::string& size,
                  const stmt& loop, const expr_ptr& value, const std::string& from, const std::string& to,
                  bool along) {
    parallel("");
    w.open("for (int64_t $at = 0; $at < " + count + "; ++$at)");
    w.line("const int64_t $first = " + from + " + $at * " + size + ", $here = std::min<int64_t>(" + size +
           ", " + to + " - $first);");
    w.line(T + "* $out = " + name + " + $at * $steps * " + size + ";");
    auto steps_open = [&](bool move) {
      for (std::size_t k = 0; k < p.reduction.size(); ++k) {
        auto head = header(*p.reduction[k]);
        if (k + 1 == p.reduction.size() && move)
          head = head.substr(0, head.size() - 1) + ", $out += " + size + ")";
        w.open(head);
      }
    };
    auto steps_close = [&] {
      for (std::size_t k = 0; k < p.reduction.size(); ++k)
        w.close();
    };
    auto copy = [&](const std::string& until, bool fill) {
      if (along) {
        w.open("for (int64_t $c = 0; $c < " + until + "; ++$c)");
        w.line("const int64_t " + loop.name + " = $first + $c;");
        w.line(T + "* $next = $out + $c;");
        for (const auto* r : p.reduction)
          w.open(header(*r));
        w.line("*$next = " + print(value) + ";");
        w.line("$next += " + size + ";");
        steps_close();
        w.close();
        if (fill)
          w.line("ke_panel_zeros($out, $steps, " + size + ", $here);");
        return;
      }
      steps_open(true);
      w.open("for (int64_t $c = 0; $c < " + until + "; ++$c)");
      w.line("const int64_t " + loop.name + " = $first + $c;");
      w.line("$out[$c] = " + print(value) + ";");
      w.close();
      if (fill) {
        w.line("for (int64_t $c = $here; $c < " + size + "; ++$c)");
        w.line("  $out[$c] = 0;");
      }
      steps_close();
    };
    w.open("if ($here == " + size + ")");
    copy(size, false);
    --w.depth;
    w.line("} else {");
    ++w.depth;
    copy("$here", true);
    w.close();
    w.close();
  };
  pack("$packed", "$panels", "$wide", *p.columns, p.right, "$column_from", "$column_to", p.right_along);
  if (o.both)
    pack("$packed_rows", "$tiles", "$tile", *p.rows, p.left, "$row_from", "$row_to", true);

  parallel("collapse(2) ");
  w.line("for (int64_t $block = 0; $block < $blocks; ++$block)");
  w.open("for (int64_t $panel = 0; $panel < $panels; ++$panel)");
  w.line("const int64_t $top = $row_from + $block * $block_rows, $bottom = std::min($top + $block_rows, "
         "$row_to);");
  w.line(
      "const int64_t $first = $column_from + $panel * $wide, $last = std::min($first + $wide, $column_to);");
  w.line("alignas(64) " + T + " $sums[$block_rows * $wide];");
  w.line("if ($last < $first + $wide || $bottom < $top + $block_rows)");
  w.line("  std::fill($sums, $sums + $block_rows * $wide, " + T + "(0));");
  w.line(header(*p.rows, "$top", "$bottom"));
  w.open(header(*p.columns, "$first", "$last"));
  w.statements(p.before);
  w.line("$sums[(" + i + " - $top) * $wide + " + j + " - $first] = " + p.sum + ";");
  w.close();
  w.open("for (int64_t $from = " + print(p.reduction[0]->from) + "; $from < " + print(p.reduction[0]->to) +
         "; $from += " + std::to_string(depth) + ")");
  w.line("const int64_t $until = std::min<int64_t>($from + " + std::to_string(depth) + ", " +
         print(p.reduction[0]->to) + ");");
  w.line("const int64_t $done = ($from - " + print(p.reduction[0]->from) + ") * $inner;");
  w.open("for (int64_t $row = $top; $row < $bottom; $row += $tile)");
  w.line("const " + T + "* $right = $packed + ($panel * $steps + $done) * $wide;");
  if (o.both)
    w.line("const " + T + "* $left = $packed_rows + (($row - $row_from) / $tile * $steps + $done) * $tile;");
  w.line(T + "* const $sum = $sums + ($row - $top) * $wide;");
  auto cell = [](std::int64_t r, std::int64_t v) {
    return "$s_" + std::to_string(r) + "_" + std::to_string(v);
  };
  for (std::int64_t r = 0; r < tile_rows; ++r) {
    if (!o.both)
      // Rows past the end repeat the last one; their sums are dropped.
      w.line("const int64_t $row_" + std::to_string(r) + " = std::min<int64_t>($row + " + std::to_string(r) +
             ", $row_to - 1);");
    for (std::int64_t v = 0; v < vectors; ++v)
      w.line("$V " + cell(r, v) + " = ke_load<$V>($sum + " + std::to_string(r) + " * $wide + " +
             std::to_string(v * lanes) + ");");
  }
  for (std::size_t k = 0; k < p.reduction.size(); ++k)
    w.open(k == 0 ? header(*p.reduction[k], "$from", "$until") : header(*p.reduction[k]));
  for (std::int64_t v = 0; v < vectors; ++v)
    w.line("const $V $b_" + std::to_string(v) + " = ke_load<$V>($right + " + std::to_string(v * lanes) +
           ");");
  for (std::int64_t r = 0; r < tile_rows; ++r) {
    auto row = name("$row_" + std::to_string(r), value_type::i64);
    w.line("const " + T + " $a_" + std::to_string(r) + " = " +
           (o.both ? "$left[" + std::to_string(r) + "]" : print(replace_name(p.left, i, row))) + ";");
    for (std::int64_t v = 0; v < vectors; ++v)
      w.line(cell(r, v) + " += $a_" + std::to_string(r) + " * $b_" + std::to_string(v) + ";");
  }
  w.line("$right += $wide;");
  if (o.both)
    w.line("$left += $tile;");
  for (std::size_t k = 0; k < p.reduction.size(); ++k)
    w.close();
  for (std::int64_t r = 0; r < tile_rows; ++r)
    for (std::int64_t v = 0; v < vectors; ++v)
      w.line("ke_store($sum + " + std::to_string(r) + " * $wide + " + std::to_string(v * lanes) + ", " +
             cell(r, v) + ");");
  w.close();
  w.close();
  w.line(header(*p.rows, "$top", "$bottom"));
  w.open(header(*p.columns, "$first", "$last"));
  w.statements(p.before);
  w.line(p.sum + " = $sums[(" + i + " - $top) * $wide + " + j + " - $first];");
  w.statements(p.after);
  w.close();
  w.close();
  w.close();
  for (std::size_t k = 0; k < p.batches.size(); ++k)
    w.close();
  // A prefix that the kernel's own names do not have.
  std::string prefix = "p_";
  auto taken = declared_in(u.kernel.body);
  for (const auto& x : u.kernel.parameters)
    taken.insert(x.name);
  while (std::any_of(taken.begin(), taken.end(), [&](const std::string& n) { return n.starts_with(prefix); }))
    prefix.insert(0, "p");
  std::string text;
  for (char x : w.out)
    x == '$' ? text += prefix : text += x;
  return std::string{candidate_includes} + "\n" + std::string{lane_prelude} + std::string{panel_prelude} +
         signature(u.kernel) + " {\n" + text + "}\n";
}

} // namespace ke::playbook
