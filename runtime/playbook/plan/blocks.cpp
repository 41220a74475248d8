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

std::string emit_transposition(const understood_kernel& u, const transposition& t, std::int64_t threads,
                               std::int64_t edge, std::int64_t group, bool prefetch) {
  edge = std::clamp<std::int64_t>(edge, 2, 128);
  group = std::clamp<std::int64_t>(group, 1, 64);
  const auto& r = *t.loops[t.reads];
  const auto& w = *t.loops[t.writes];
  auto E = std::to_string(edge), G = std::to_string(group * edge);
  std::string out = "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <limits>\n\n" +
                    signature(u.kernel) + " {\n";
  int depth = 1;
  auto line = [&](const std::string& text) {
    out += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text + "\n";
  };
  line("const int64_t read_from = " + print(r.from) + ", read_to = " + print(r.to) + ";");
  line("const int64_t write_from = " + print(w.from) + ", write_to = " + print(w.to) + ";");
  std::string work = length_of(*t.loops[0]);
  for (std::size_t i = 1; i < t.loops.size(); ++i)
    work += " * " + length_of(*t.loops[i]);
  if (threads > 1)
    line("#pragma omp parallel for collapse(" + std::to_string(t.loops.size()) +
         ") schedule(static) num_threads(" + std::to_string(threads) + ") if (" + work + " > 16384)");
  for (std::size_t i = 0; i < t.loops.size(); ++i)
    if (i != t.reads && i != t.writes)
      line("for (int64_t " + t.loops[i]->name + " = " + print(t.loops[i]->from) + "; " + t.loops[i]->name +
           " < " + print(t.loops[i]->to) + "; ++" + t.loops[i]->name + ")");
  // A group lies along the output, so that a thread fills whole pages one after another.
  line("for (int64_t read_block = read_from; read_block < read_to; read_block += " + E + ")");
  line("for (int64_t group = write_from; group < write_to; group += " + G + ")");
  line("for (int64_t write_block = group; write_block < std::min<int64_t>(group + " + G +
       ", write_to); write_block += " + E + ") {");
  ++depth;
  auto type = std::string{spelling(t.body->target->type)};
  auto store_op = t.body->op;
  line("if (read_block + " + E + " <= read_to && write_block + " + E + " <= write_to) {");
  ++depth;
  // Read along rows into a block that stays in registers or the first cache, then write along columns.
  line(type + " block[" + E + "][" + E + "];");
  line("for (int64_t b = 0; b < " + E + "; ++b) {");
  line("  const int64_t " + w.name + " = write_block + b;");
  if (prefetch)
    visit(t.body->value, [&](const expr& x) {
      if (x.kind != expr_kind::index || !contiguous(x.args[0], r.name))
        return;
      auto next = replace_name(replace_name(x.args[0], r.name, name("read_block", value_type::i64)), w.name,
                               binary("+", name(w.name, value_type::i64), number(edge)));
      for (std::int64_t at = 0; at < edge * bytes_of(x.type); at += 64)
        line("  __builtin_prefetch(" + x.text + " + " + print(next) + " + " +
             std::to_string(at / bytes_of(x.type)) + ");");
    });
  line("  for (int64_t a = 0; a < " + E + "; ++a) {");
  line("    const int64_t " + r.name + " = read_block + a;");
  line("    block[a][b] = " + print(t.body->value) + ";");
  line("  }");
  line("}");
  line("for (int64_t a = 0; a < " + E + "; ++a) {");
  line("  const int64_t " + r.name + " = read_block + a;");
  line("  for (int64_t b = 0; b < " + E + "; ++b) {");
  line("    const int64_t " + w.name + " = write_block + b;");
  line("    " + print(t.body->target) + " " + store_op + " block[a][b];");
  line("  }");
  line("}");
  --depth;
  line("} else {");
  ++depth;
  line("for (int64_t " + r.name + " = read_block; " + r.name + " < std::min<int64_t>(read_block + " + E +
       ", read_to); ++" + r.name + ")");
  line("  for (int64_t " + w.name + " = write_block; " + w.name + " < std::min<int64_t>(write_block + " + E +
       ", write_to); ++" + w.name + ")");
  line("    " + print(t.body->target) + " " + store_op + " " + print(t.body->value) + ";");
  --depth;
  line("}");
  --depth;
  line("}");
  return out + "}\n";
}

} // namespace ke::playbook
