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

/// The loops around everything, whose turns are independent; empty: they are not, or not known.
std::vector<const stmt*> independent_loops(const understood_kernel& u) {
  if (u.kernel.body.size() != 1 || u.kernel.body[0].kind != stmt_kind::loop)
    return {};
  std::vector<const stmt*> kept;
  std::vector<loop_range> outer;
  for (const auto* at = &u.kernel.body[0];; at = &at->body[0]) {
    if (at->step != 1 || !only_sizes(*at, u.facts) || !independent(*at, outer, u.facts))
      return {};
    kept.push_back(at);
    outer.push_back(*range_of(*at));
    if (at->body.size() != 1 || at->body[0].kind != stmt_kind::loop)
      return kept;
  }
}

/// Splits a body into one loop and what stands before and after it. Null: it is not made like that.
const stmt* sum_loop_in(const std::vector<stmt>& body, product& out) {
  const stmt* sum_loop = nullptr;
  for (const auto& s : body) {
    if (s.kind == stmt_kind::loop && !sum_loop)
      sum_loop = &s;
    else if (s.kind == stmt_kind::loop || s.kind == stmt_kind::array || s.kind == stmt_kind::leave)
      return nullptr;
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
  return plain ? sum_loop : nullptr;
}

/// Enters the loops of the reduction; what is added in the innermost. Nothing: it is no sum.
std::optional<stmt> sum_in(const stmt* sum_loop, const understood_kernel& u, product& out) {
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
  bool known = out.type == value_type::f32 || out.type == value_type::f64;
  auto starts = [&](const stmt& s) { return s.name == out.sum && s.value; };
  if (!known || std::none_of(out.before.begin(), out.before.end(), starts))
    return std::nullopt;
  return update;
}

/// The loop along which the result is stored.
const stmt* columns_of(const std::vector<const stmt*>& kept, const std::vector<stmt>& after) {
  const expr_ptr* store = nullptr;
  for (const auto& s : after)
    if (s.kind == stmt_kind::assign && s.target->kind == expr_kind::index)
      store = &s.target->args[0];
  const stmt* columns = nullptr;
  for (const auto* loop : kept)
    if (store && contiguous(*store, loop->name))
      columns = loop;
  return columns;
}

/// Sorts the factors into those that differ from column to column and the others. False: it is no product of two.
bool share_factors(const stmt& update, const understood_kernel& u, bool strict, product& out) {
  std::vector<expr_ptr> factors;
  factors_of(update.value, out.type, factors);
  // A product of more than two factors, or one that is rounded before it is added, would round otherwise.
  if (factors.size() < 2 || (strict && (factors.size() != 2 || update.value->type != out.type ||
                                        factors[0]->type != factors[1]->type)))
    return false;
  auto written = assigned_in(u.kernel.body);
  auto own = declared_in(out.before);
  for (const auto& f : factors) {
    bool allowed = true;
    visit(f, [&](const expr& x) {
      allowed = allowed && x.type != value_type::unknown && !own.count(x.text) &&
                !(x.kind == expr_kind::index && written.count(x.text)) && x.kind != expr_kind::ternary;
    });
    if (!allowed)
      return false;
    auto& side = mentions(f, out.columns->name) ? out.right : out.left;
    auto mine = cast(out.type, f);
    side = side ? binary("*", side, mine) : mine;
  }
  return out.left && out.right;
}

/// Writes a product by register tiles over packed panels.
class panel_writer {
public:
  panel_writer(const product& p, const panel_options& o)
      : p_{p}, o_{o}, lanes_{std::clamp<std::int64_t>(o.vector_bytes, 16, 64) / bytes_of(p.type)},
        rows_{std::clamp<std::int64_t>(o.rows, 1, 16)}, vectors_{std::clamp<std::int64_t>(o.vectors, 1, 4)},
        type_{spelling(p.type)} {}

  /// The body; names of its own begin with `$`.
  std::string run() {
    sizes();
    buffer("$packed", "$panels * $steps * $wide");
    if (o_.both)
      buffer("$packed_rows", "$tiles * $steps * $tile");
    for (const auto* loop : p_.batches)
      w_.open(header(*loop));
    if (o_.threads > 1)
      w_.line("#pragma omp parallel num_threads(" + std::to_string(o_.threads) + ") if (" + extent(*p_.rows) +
              " * " + extent(*p_.columns) + " * $steps > 65536)");
    w_.open("");
    pack({"$packed", "$panels", "$wide", "$column_from", "$column_to", p_.right_along}, *p_.columns,
         p_.right);
    if (o_.both)
      pack({"$packed_rows", "$tiles", "$tile", "$row_from", "$row_to", true}, *p_.rows, p_.left);
    blocks();
    w_.close();
    close(p_.batches.size());
    return w_.out;
  }

private:
  /// Where a factor is packed: a piece of `size` rows or columns each, of those between `from` and `to`.
  struct packing {
    std::string name, count, size, from, to;
    bool along; ///< the factor lies along the reduction
  };

  void close(std::size_t times) {
    for (std::size_t k = 0; k < times; ++k)
      w_.close();
  }

  void sizes() {
    auto tiles_per_block = std::max<std::int64_t>(1, 96 / rows_);
    w_.line("// A register tile is `tile` rows by `wide` columns; a block of rows stays in the second-level "
            "cache.");
    w_.line("constexpr int64_t $tile = " + std::to_string(rows_) +
            ", $wide = " + std::to_string(lanes_ * vectors_) +
            ", $block_rows = " + std::to_string(tiles_per_block) + " * $tile;");
    w_.line("using $V = vec<" + type_ + ", " + std::to_string(lanes_) + ">;");
    w_.line("const int64_t $row_from = " + print(p_.rows->from) + ", $row_to = " + print(p_.rows->to) + ";");
    w_.line("const int64_t $column_from = " + print(p_.columns->from) +
            ", $column_to = " + print(p_.columns->to) + ";");
    w_.line("if ($row_from >= $row_to || $column_from >= $column_to)");
    w_.line("  return;");
    std::string inner = "1";
    for (std::size_t k = 1; k < p_.reduction.size(); ++k)
      inner += " * " + extent(*p_.reduction[k]);
    w_.line("const int64_t $inner = " + inner + ", $steps = " + extent(*p_.reduction[0]) + " * $inner;");
    w_.line("const int64_t $panels = ($column_to - $column_from + $wide - 1) / $wide;");
    w_.line("const int64_t $blocks = ($row_to - $row_from + $block_rows - 1) / $block_rows;");
    w_.line("const int64_t $tiles = ($row_to - $row_from + $tile - 1) / $tile;");
  }

  void buffer(const std::string& name, const std::string& count) {
    w_.line("const auto $store_of_" + name + " = ke_panel_room<" + type_ + ">(" + count + ");");
    w_.line(type_ + "* const " + name + " = $store_of_" + name + ".get();");
  }

  void parallel(const char* extra) {
    if (o_.threads > 1)
      w_.line(std::string{"#pragma omp for "} + extra + "schedule(static)");
  }

  /// One element per step and column (or row), where the tile will read it.
  void pack(const packing& to, const stmt& loop, const expr_ptr& value) {
    parallel("");
    w_.open("for (int64_t $at = 0; $at < " + to.count + "; ++$at)");
    w_.line("const int64_t $first = " + to.from + " + $at * " + to.size + ", $here = std::min<int64_t>(" +
            to.size + ", " + to.to + " - $first);");
    w_.line(type_ + "* $out = " + to.name + " + $at * $steps * " + to.size + ";");
    auto copy = [&](const std::string& until, bool fill) {
      to.along ? copy_along(to, loop, value, until, fill) : copy_across(to, loop, value, until, fill);
    };
    w_.open("if ($here == " + to.size + ")");
    copy(to.size, false);
    --w_.depth;
    w_.line("} else {");
    ++w_.depth;
    copy("$here", true);
    w_.close();
    w_.close();
  }

  void copy_along(const packing& to, const stmt& loop, const expr_ptr& value, const std::string& until,
                  bool fill) {
    w_.open("for (int64_t $c = 0; $c < " + until + "; ++$c)");
    w_.line("const int64_t " + loop.name + " = $first + $c;");
    w_.line(type_ + "* $next = $out + $c;");
    for (const auto* r : p_.reduction)
      w_.open(header(*r));
    w_.line("*$next = " + print(value) + ";");
    w_.line("$next += " + to.size + ";");
    close(p_.reduction.size());
    w_.close();
    if (fill)
      w_.line("ke_panel_zeros($out, $steps, " + to.size + ", $here);");
  }

  void copy_across(const packing& to, const stmt& loop, const expr_ptr& value, const std::string& until,
                   bool fill) {
    for (std::size_t k = 0; k < p_.reduction.size(); ++k) {
      auto head = header(*p_.reduction[k]);
      if (k + 1 == p_.reduction.size())
        head = head.substr(0, head.size() - 1) + ", $out += " + to.size + ")";
      w_.open(head);
    }
    w_.open("for (int64_t $c = 0; $c < " + until + "; ++$c)");
    w_.line("const int64_t " + loop.name + " = $first + $c;");
    w_.line("$out[$c] = " + print(value) + ";");
    w_.close();
    if (fill) {
      w_.line("for (int64_t $c = $here; $c < " + to.size + "; ++$c)");
      w_.line("  $out[$c] = 0;");
    }
    close(p_.reduction.size());
  }

  void blocks() {
    parallel("collapse(2) ");
    w_.line("for (int64_t $block = 0; $block < $blocks; ++$block)");
    w_.open("for (int64_t $panel = 0; $panel < $panels; ++$panel)");
    w_.line("const int64_t $top = $row_from + $block * $block_rows, $bottom = std::min($top + $block_rows, "
            "$row_to);");
    w_.line("const int64_t $first = $column_from + $panel * $wide, $last = std::min($first + $wide, "
            "$column_to);");
    w_.line("alignas(64) " + type_ + " $sums[$block_rows * $wide];");
    w_.line("if ($last < $first + $wide || $bottom < $top + $block_rows)");
    w_.line("  std::fill($sums, $sums + $block_rows * $wide, " + type_ + "(0));");
    auto sum = "$sums[(" + p_.rows->name + " - $top) * $wide + " + p_.columns->name + " - $first]";
    each_element();
    w_.line(sum + " = " + p_.sum + ";");
    w_.close();
    const auto& steps = *p_.reduction[0];
    auto depth = std::to_string(std::clamp<std::int64_t>(o_.depth, 1, 1 << 20));
    w_.open("for (int64_t $from = " + print(steps.from) + "; $from < " + print(steps.to) +
            "; $from += " + depth + ")");
    w_.line("const int64_t $until = std::min<int64_t>($from + " + depth + ", " + print(steps.to) + ");");
    w_.line("const int64_t $done = ($from - " + print(steps.from) + ") * $inner;");
    w_.open("for (int64_t $row = $top; $row < $bottom; $row += $tile)");
    tile();
    w_.close();
    w_.close();
    each_element();
    w_.line(p_.sum + " = " + sum + ";");
    w_.statements(p_.after);
    w_.close();
    w_.close();
  }

  /// Opens the loops over the elements of a block, as the kernel begins each of them.
  void each_element() {
    w_.line(header(*p_.rows, "$top", "$bottom"));
    w_.open(header(*p_.columns, "$first", "$last"));
    w_.statements(p_.before);
  }

  static std::string cell(std::int64_t r, std::int64_t v) {
    return "$s_" + std::to_string(r) + "_" + std::to_string(v);
  }
  std::string place(std::int64_t r, std::int64_t v) const {
    return "$sum + " + std::to_string(r) + " * $wide + " + std::to_string(v * lanes_);
  }

  void tile() {
    w_.line("const " + type_ + "* $right = $packed + ($panel * $steps + $done) * $wide;");
    if (o_.both)
      w_.line("const " + type_ +
              "* $left = $packed_rows + (($row - $row_from) / $tile * $steps + $done) * $tile;");
    w_.line(type_ + "* const $sum = $sums + ($row - $top) * $wide;");
    for (std::int64_t r = 0; r < rows_; ++r) {
      if (!o_.both)
        // Rows past the end repeat the last one; their sums are dropped.
        w_.line("const int64_t $row_" + std::to_string(r) + " = std::min<int64_t>($row + " +
                std::to_string(r) + ", $row_to - 1);");
      for (std::int64_t v = 0; v < vectors_; ++v)
        w_.line("$V " + cell(r, v) + " = ke_load<$V>(" + place(r, v) + ");");
    }
    for (std::size_t k = 0; k < p_.reduction.size(); ++k)
      w_.open(k == 0 ? header(*p_.reduction[k], "$from", "$until") : header(*p_.reduction[k]));
    step();
    close(p_.reduction.size());
    for (std::int64_t r = 0; r < rows_; ++r)
      for (std::int64_t v = 0; v < vectors_; ++v)
        w_.line("ke_store(" + place(r, v) + ", " + cell(r, v) + ");");
  }

  void step() {
    for (std::int64_t v = 0; v < vectors_; ++v)
      w_.line("const $V $b_" + std::to_string(v) + " = ke_load<$V>($right + " + std::to_string(v * lanes_) +
              ");");
    for (std::int64_t r = 0; r < rows_; ++r) {
      auto row = name("$row_" + std::to_string(r), value_type::i64);
      w_.line(
          "const " + type_ + " $a_" + std::to_string(r) + " = " +
          (o_.both ? "$left[" + std::to_string(r) + "]" : print(replace_name(p_.left, p_.rows->name, row))) +
          ";");
      for (std::int64_t v = 0; v < vectors_; ++v)
        w_.line(cell(r, v) + " += $a_" + std::to_string(r) + " * $b_" + std::to_string(v) + ";");
    }
    w_.line("$right += $wide;");
    if (o_.both)
      w_.line("$left += $tile;");
  }

  const product& p_;
  const panel_options& o_;
  std::int64_t lanes_, rows_, vectors_;
  std::string type_;
  writer w_;
};

/// `$` as a prefix that none of the kernel's own names has.
std::string named_apart(const std::string& body, const kernel_function& kernel) {
  std::string prefix = "p_";
  auto taken = declared_in(kernel.body);
  for (const auto& x : kernel.parameters)
    taken.insert(x.name);
  while (std::any_of(taken.begin(), taken.end(), [&](const std::string& n) { return n.starts_with(prefix); }))
    prefix.insert(0, "p");
  std::string text;
  for (char x : body)
    x == '$' ? text += prefix : text += x;
  return text;
}

} // namespace

std::optional<product> find_product(const understood_kernel& u, bool strict) {
  product out;
  auto kept = independent_loops(u);
  const auto* sum_loop = kept.empty() ? nullptr : sum_loop_in(kept.back()->body, out);
  auto update = sum_loop ? sum_in(sum_loop, u, out) : std::nullopt;
  if (!update)
    return std::nullopt;
  out.columns = columns_of(kept, out.after);
  if (!out.columns || !share_factors(*update, u, strict, out))
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
  return std::string{candidate_includes} + "\n" + std::string{lane_prelude} + std::string{panel_prelude} +
         signature(u.kernel) + " {\n" + named_apart(panel_writer{p, o}.run(), u.kernel) + "}\n";
}

} // namespace ke::playbook
