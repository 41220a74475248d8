#include "runtime/playbook/write/emitter.hpp"

namespace ke::playbook {
namespace {

/// `a op= b` spelled as a value.
expr_ptr applied(const stmt& s) {
  return s.op == "=" ? s.value : binary(s.op.substr(0, 1), s.target, s.value);
}

} // namespace

void emitter::line(const std::string& text) {
  out_ += std::string(static_cast<std::size_t>(indent_) * 2, ' ') + text + "\n";
  if (out_.size() > 400'000)
    throw not_possible{"the candidate would be too large"};
}
void emitter::open(const std::string& text) {
  line(text + " {");
  ++indent_;
}
void emitter::close() {
  --indent_;
  line("}");
}

void emitter::block(const std::vector<stmt>& body, const frame& f, bool may_parallel) {
  for (const auto& s : body)
    statement(s, f, may_parallel);
}

void emitter::local_array(const stmt& s, const frame& f) {
  if (f.rows > 1 || !f.lane_loop.empty())
    throw not_possible{"a local array within copied iterations"};
  auto extent = scalar(s.value, f, 0);
  if (s.op == "vector") {
    auto type = std::string{spelling(s.type)};
    line("std::vector<" + type + "> store_of_" + s.name + "(static_cast<std::size_t>(" + extent + ")" +
         (s.from ? ", " + scalar(s.from, f, 0) : "") + ");");
    line(type + "* const " + s.name + " = store_of_" + s.name + ".data();");
  } else {
    line(std::string{spelling(s.type)} + " " + s.name + "[" + extent + "]" +
         (s.op == "zeros" ? " = {0};" : ";"));
  }
}

void emitter::branch(const stmt& s, const frame& f, bool may_parallel) {
  if (varies(s.value, f))
    return masked(s, f);
  for (const auto& name : f.row_scalars)
    if (mentions(s.value, name))
      throw not_possible{"a condition differs from row to row"};
  if (f.rows > 1 && mentions(s.value, f.row))
    throw not_possible{"a condition differs from row to row"};
  bool always = s.value->kind == expr_kind::number && s.value->text == "true";
  open(always ? "" : "if (" + scalar(s.value, f, 0) + ")");
  block(s.body, f, may_parallel);
  if (!always && !s.other.empty()) {
    --indent_;
    line("} else {");
    ++indent_;
    block(s.other, f, may_parallel);
  }
  close();
}

void emitter::statement(const stmt& s, const frame& f, bool may_parallel) {
  switch (s.kind) {
  case stmt_kind::declare:
    declaration(s, f);
    return;
  case stmt_kind::assign:
    assignment(s, f);
    return;
  case stmt_kind::array:
    local_array(s, f);
    return;
  case stmt_kind::branch:
    branch(s, f, may_parallel);
    return;
  case stmt_kind::loop:
    plain_loop(s, f, may_parallel);
    return;
  case stmt_kind::leave:
    break;
  }
  throw not_possible{"a statement cannot be written"};
}

void emitter::declaration(const stmt& s, const frame& f) {
  bool vectors = !f.lane_loop.empty() && f.lane_scalars.count(s.name);
  int rows = f.row_scalars.count(s.name) ? f.rows : 1;
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < (vectors ? f.unroll : 1); ++b) {
      auto head = (vectors ? vector_type(s.type, f) : std::string{spelling(s.type)}) + " " +
                  cell(s.name, f, a, vectors ? b : -1);
      if (!s.value)
        line(head + "{};");
      else
        line(head + " = " + (vectors ? lane_as(lane(s.value, f, a, b), s.type, f) : scalar(s.value, f, a)) +
             ";");
    }
}

void emitter::scalar_assignment(const stmt& s, const frame& f) {
  bool vectors = !f.lane_loop.empty() && f.lane_scalars.count(s.target->text);
  if (!vectors && varies(s.value, f))
    throw not_possible{"a vector is assigned to a scalar"};
  int rows = f.row_scalars.count(s.target->text) ? f.rows : 1;
  for (int a = 0; a < rows; ++a)
    for (int b = 0; b < (vectors ? f.unroll : 1); ++b) {
      auto to = cell(s.target->text, f, a, vectors ? b : -1);
      if (!vectors)
        line(to + " " + s.op + " " + scalar(s.value, f, a) + ";");
      else if (f.scans.count(s.target->text))
        running_sum(s, f, to, a, b);
      else
        line(to + " = " + lane_as(lane(applied(s), f, a, b), s.target->type, f) + ";");
    }
}

/// A prefix within the vector, plus what came before; the scalar carries on.
void emitter::running_sum(const stmt& s, const frame& f, const std::string& to, int a, int b) {
  auto carry = cell(s.target->text, f, a, -1);
  auto prefix = "prefix_" + std::to_string(++fresh_);
  auto value = lane_as(lane(s.value, f, a, b), s.target->type, f);
  auto before = " + ke_splat<" + vector_type(s.target->type, f) + ">(" + carry + ");";
  line("const auto " + prefix + " = ke_prefix(" + value + ");");
  line(to + " = " + prefix + before);
  auto prior = s.target->text + "_prior";
  if (f.lane_scalars.count(prior))
    line(cell(prior, f, a, b) + " = ke_shift<1>(" + prefix + ")" + before);
  line(carry + " += " + prefix + "[" + std::to_string(f.lanes - 1) + "];");
}

void emitter::assignment(const stmt& s, const frame& f) {
  if (s.target->kind == expr_kind::name)
    return scalar_assignment(s, f);
  if (f.lane_loop.empty() || !varies(s.target->args[0], f)) {
    if (varies(s.value, f))
      throw not_possible{"every lane would store to one element"};
    bool per_row = f.rows > 1 && mentions(s.target->args[0], f.row);
    if (f.rows > 1 && !per_row)
      throw not_possible{"every row would store to one element"};
    for (int a = 0; a < f.rows; ++a)
      line(scalar(s.target, f, a) + " " + s.op + " " + scalar(s.value, f, a) + ";");
    return;
  }
  auto p = to_poly(s.target->args[0]);
  auto c = p ? p->coefficient(f.lane_loop) : std::nullopt;
  if (!c || c->mentions(f.lane_loop))
    throw not_possible{"a store is not linear in the vectorised loop"};
  for (int a = 0; a < f.rows; ++a)
    for (int b = 0; b < f.unroll; ++b) {
      auto value = lane_as(lane(applied(s), f, a, b), s.target->type, f);
      auto where = s.target->text + " + " + scalar(s.target->args[0], f, a, b);
      if (c->as_constant() == 1)
        line("ke_store(" + where + ", " + value + ");");
      else
        line("ke_scatter(" + where + ", " + scalar(to_expr(*c), f, a) + ", " + value + ");");
    }
}

void emitter::masked(const stmt& s, const frame& f) {
  for (const auto* branch : {&s.body, &s.other})
    for (const auto& inner : *branch)
      if (inner.kind != stmt_kind::assign || inner.target->kind != expr_kind::name ||
          f.scans.count(inner.target->text))
        throw not_possible{"a condition guards more than scalars"};
  // Both branches see the condition as it was: names that it reads must not change in them.
  for (const auto* branch : {&s.body, &s.other})
    for (const auto& inner : *branch)
      if (mentions(s.value, inner.target->text))
        throw not_possible{"a branch changes its own condition"};
  for (const auto& inner : s.body) {
    auto t = inner;
    t.op = "=";
    t.value = ternary(s.value, applied(inner), inner.target);
    assignment(t, f);
  }
  for (const auto& inner : s.other) {
    auto t = inner;
    t.op = "=";
    t.value = ternary(s.value, inner.target, applied(inner));
    assignment(t, f);
  }
}

void emitter::plain_loop(const stmt& s, const frame& f, bool may_parallel) {
  for (const auto& bound : {s.from, s.to}) {
    if (varies(bound, f))
      throw not_possible{"a loop's length differs from lane to lane"};
    for (const auto& name : f.row_scalars)
      if (mentions(bound, name))
        throw not_possible{"a loop's length differs from row to row"};
    if (f.rows > 1 && mentions(bound, f.row))
      throw not_possible{"a loop's length differs from row to row"};
  }
  if (f.lane_loop.empty()) {
    if (may_parallel && (nest(s, f) || chunked_reduction(s, f)))
      return;
    bool innermost = true;
    visit(s.body, [&](const stmt& inner) { innermost = innermost && inner.kind != stmt_kind::loop; });
    auto saved = out_;
    auto indent = indent_;
    if (innermost && s.step == 1) {
      try {
        vector_loop(s, scalar(s.from, f, 0), scalar(s.to, f, 0), f);
        return;
      } catch (const not_possible&) {
        out_ = saved;
        indent_ = indent;
      }
    }
  }
  open("for (int64_t " + s.name + " = " + scalar(s.from, f, 0) + "; " + s.name + " < " + scalar(s.to, f, 0) +
       "; " + s.name + " += " + std::to_string(s.step) + ")");
  auto inner = f;
  if (auto range = range_of(s))
    inner.outer.push_back(*range);
  prefetch(s.name, s.step, s.body, inner);
  block(s.body, inner, may_parallel);
  close();
}

} // namespace ke::playbook
