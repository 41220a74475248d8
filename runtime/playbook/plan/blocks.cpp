#include "runtime/playbook/plan/blocks.hpp"

#include "runtime/playbook/write/emission.hpp"

#include <algorithm>

namespace ke::playbook {
namespace {

std::string length_of(const stmt& loop) {
  return print(binary("-", loop.to, loop.from));
}

} // namespace

std::optional<transposition> find_transposition(const understood_kernel& u) {
  if (u.kernel.body.size() != 1 || u.kernel.body[0].kind != stmt_kind::loop)
    return std::nullopt;
  transposition out;
  std::vector<loop_range> outer;
  const auto* at = &u.kernel.body[0];
  while (at->kind == stmt_kind::loop) {
    if (at->step != 1 || !independent(*at, outer, u.facts))
      return std::nullopt;
    for (const auto* around : out.loops)
      if (mentions(at->from, around->name) || mentions(at->to, around->name))
        return std::nullopt;
    out.loops.push_back(at);
    outer.push_back(*range_of(*at));
    if (at->body.size() != 1)
      return std::nullopt;
    at = &at->body[0];
  }
  if (at->kind != stmt_kind::assign || at->target->kind != expr_kind::index || out.loops.size() < 2)
    return std::nullopt;
  out.body = at;
  std::optional<std::size_t> reads, writes;
  for (std::size_t i = 0; i < out.loops.size(); ++i) {
    const auto& v = out.loops[i]->name;
    bool read = false;
    visit(at->value,
          [&](const expr& x) { read = read || (x.kind == expr_kind::index && contiguous(x.args[0], v)); });
    bool written = contiguous(at->target->args[0], v);
    if (read && !written)
      reads = i;
    if (written && !read)
      writes = i;
  }
  if (!reads || !writes)
    return std::nullopt;
  out.reads = *reads;
  out.writes = *writes;
  return out;
}

namespace {

/// Writes a transposition in square blocks.
class transposition_writer {
public:
  transposition_writer(const transposition& t, std::int64_t edge, std::int64_t group)
      : t_{t}, r_{*t.loops[t.reads]}, w_{*t.loops[t.writes]}, edge_{edge}, edge_text_{std::to_string(edge)},
        group_text_{std::to_string(group * edge)} {}

  std::string run(const std::string& head, std::int64_t threads, bool prefetch) {
    out_ = head;
    loops(threads);
    line("if (read_block + " + edge_text_ + " <= read_to && write_block + " + edge_text_ + " <= write_to) {");
    ++depth_;
    whole_block(prefetch);
    --depth_;
    line("} else {");
    ++depth_;
    part_of_block();
    --depth_;
    line("}");
    --depth_;
    line("}");
    return out_ + "}\n";
  }

private:
  void line(const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(depth_) * 2, ' ') + text + "\n";
  }

  void loops(std::int64_t threads) {
    line("const int64_t read_from = " + print(r_.from) + ", read_to = " + print(r_.to) + ";");
    line("const int64_t write_from = " + print(w_.from) + ", write_to = " + print(w_.to) + ";");
    std::string work = length_of(*t_.loops[0]);
    for (std::size_t i = 1; i < t_.loops.size(); ++i)
      work += " * " + length_of(*t_.loops[i]);
    if (threads > 1)
      line("#pragma omp parallel for collapse(" + std::to_string(t_.loops.size()) +
           ") schedule(static) num_threads(" + std::to_string(threads) + ") if (" + work + " > 16384)");
    for (std::size_t i = 0; i < t_.loops.size(); ++i)
      if (i != t_.reads && i != t_.writes)
        line("for (int64_t " + t_.loops[i]->name + " = " + print(t_.loops[i]->from) + "; " +
             t_.loops[i]->name + " < " + print(t_.loops[i]->to) + "; ++" + t_.loops[i]->name + ")");
    // A group lies along the output, so that a thread fills whole pages one after another.
    line("for (int64_t read_block = read_from; read_block < read_to; read_block += " + edge_text_ + ")");
    line("for (int64_t group = write_from; group < write_to; group += " + group_text_ + ")");
    line("for (int64_t write_block = group; write_block < std::min<int64_t>(group + " + group_text_ +
         ", write_to); write_block += " + edge_text_ + ") {");
    ++depth_;
  }

  /// Read along rows into a block that stays in registers or the first cache, then write along columns.
  void whole_block(bool prefetch) {
    const auto& E = edge_text_;
    line(std::string{spelling(t_.body->target->type)} + " block[" + E + "][" + E + "];");
    line("for (int64_t b = 0; b < " + E + "; ++b) {");
    line("  const int64_t " + w_.name + " = write_block + b;");
    if (prefetch)
      prefetches();
    line("  for (int64_t a = 0; a < " + E + "; ++a) {");
    line("    const int64_t " + r_.name + " = read_block + a;");
    line("    block[a][b] = " + print(t_.body->value) + ";");
    line("  }");
    line("}");
    line("for (int64_t a = 0; a < " + E + "; ++a) {");
    line("  const int64_t " + r_.name + " = read_block + a;");
    line("  for (int64_t b = 0; b < " + E + "; ++b) {");
    line("    const int64_t " + w_.name + " = write_block + b;");
    line("    " + print(t_.body->target) + " " + t_.body->op + " block[a][b];");
    line("  }");
    line("}");
  }

  void prefetches() {
    visit(t_.body->value, [&](const expr& x) {
      if (x.kind != expr_kind::index || !contiguous(x.args[0], r_.name))
        return;
      auto next = replace_name(replace_name(x.args[0], r_.name, name("read_block", value_type::i64)), w_.name,
                               binary("+", name(w_.name, value_type::i64), number(edge_)));
      for (std::int64_t at = 0; at < edge_ * bytes_of(x.type); at += 64)
        line("  __builtin_prefetch(" + x.text + " + " + print(next) + " + " +
             std::to_string(at / bytes_of(x.type)) + ");");
    });
  }

  void part_of_block() {
    line("for (int64_t " + r_.name + " = read_block; " + r_.name + " < std::min<int64_t>(read_block + " +
         edge_text_ + ", read_to); ++" + r_.name + ")");
    line("  for (int64_t " + w_.name + " = write_block; " + w_.name + " < std::min<int64_t>(write_block + " +
         edge_text_ + ", write_to); ++" + w_.name + ")");
    line("    " + print(t_.body->target) + " " + t_.body->op + " " + print(t_.body->value) + ";");
  }

  const transposition& t_;
  const stmt &r_, &w_;
  std::int64_t edge_;
  std::string edge_text_, group_text_, out_;
  int depth_ = 1;
};

} // namespace

std::string emit_transposition(const understood_kernel& u, const transposition& t, std::int64_t threads,
                               std::int64_t edge, std::int64_t group, bool prefetch) {
  transposition_writer writer{t, std::clamp<std::int64_t>(edge, 2, 128),
                              std::clamp<std::int64_t>(group, 1, 64)};
  return writer.run("#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <limits>\n\n" +
                        signature(u.kernel) + " {\n",
                    threads, prefetch);
}

} // namespace ke::playbook
