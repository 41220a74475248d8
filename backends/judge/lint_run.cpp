#include "backends/judge/lint_run.hpp"

#include "backends/judge/driver_seam.hpp"
#include "backends/judge/edges.hpp"
#include "backends/judge/fake_answers.hpp"
#include "backends/judge/left_out.hpp"
#include "backends/judge/processors.hpp"
#include "backends/judge/python_payload.hpp"
#include "backends/judge/shape_rules.hpp"
#include "backends/judge/spoiled_answers.hpp"
#include "backends/judge/truth.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace ke {
namespace {

constexpr distribution all_distributions[] = {distribution::init,        distribution::uniform,
                                              distribution::large,       distribution::small,
                                              distribution::mostly_zero, distribution::beyond};

class linter {
public:
  linter(const judge_task& task, const driver_seam& seam)
      : task_{task}, seam_{seam}, what_{task.what}, random_{secret_key()} {}

  lint_report run() {
    if (auto s = all(); !s) {
      if (s.error().kind == failure_kind::invalid)
        out_.reasons.push_back(s.error().text);
      else
        out_.broken = s.error().text;
    }
    return std::move(out_);
  }

private:
  status all();
  void enter_findings();
  status secrets(const std::vector<bound_shapes>& secret, const std::vector<bound_shapes>& workloads);
  void warn_of_shapes();
  /// Is the check worth anything at this workload's own sizes? What it accepts into `unseen_`.
  status left_out(const bound_shapes& shapes);
  status without_truths(const bound_shapes& shapes, distribution d);
  status workload(const bound_shapes& shapes, bool thorough);
  void tolerances(const bound_shapes& shapes);
  void repeated(const bank_slot& slot, const bound_shapes& shapes);
  /// What is to be known of a generator.
  void generated();
  status edge_inputs(const bound_shapes& shapes);
  status edge_shape(const bound_shapes& shapes);
  void enter(const std::string& name, const std::vector<bank_slot>& slots);

  const judge_task& task_;
  const driver_seam& seam_;
  const problem& what_;
  random_source random_;
  lint_report out_;
  std::optional<truth_source> truths_;
  admission admission_{what_};
  std::vector<std::string> unseen_;
};

status linter::all() {
  auto bound = bind_workloads(what_);
  if (!bound)
    return bound.error();
  auto& shapes = *bound;
  const auto& smallest = shapes[smallest_of(shapes)];
  out_.assumed = shape_rules{what_}.assumptions();
  auto secret = secret_shapes(what_, random_);
  auto edges = edge_shapes(what_, smallest.dims);
  std::size_t memory[2] = {0, 0};
  for (const auto* list : {&shapes, &secret, &edges})
    for (const auto& s : *list)
      for (bool wide : {false, true})
        memory[wide] =
            std::max(memory[wide], caller::memory_for(what_, s, truth_source::batch_of(what_, s), wide));
  truths_.emplace(task_, seam_, memory[0], memory[1], cpus_for(what_.policy.threads));

  for (const auto& s : shapes)
    if (auto done = left_out(s); !done || !out_.reasons.empty())
      return done;
  for (const auto& s : shapes)
    if (auto done = workload(s, &s == &smallest); !done || !out_.reasons.empty())
      return done;
  enter_findings();
  if (auto done = secrets(secret, shapes); !done)
    return done;
  if (auto done = edge_inputs(smallest); !done)
    return done;
  for (const auto& e : edges)
    if (auto done = edge_shape(e); !done)
      return done;
  generated();
  out_.truth = truths_->in_words();
  return ok;
}

/// What the workloads have shown.
void linter::enter_findings() {
  for (const auto& sentence : truths_->unreached())
    out_.warnings.push_back(sentence);
  if (auto kept = task_.provenance.find(provenance_keys::not_varied); kept != task_.provenance.end())
    out_.warnings.push_back(kept->second);
  for (auto& reason : admission_.reasons())
    out_.reasons.push_back(std::move(reason));
  out_.reasons.insert(out_.reasons.end(), unseen_.begin(), unseen_.end());
  for (const auto& r : admission_.results())
    out_.fakes.push_back(
        {what_.tensors[r.tensor].name, std::string{to_text(r.fake)}, r.of, r.cases, r.rejected});
}

/// Shapes that no workload has, and which dims they leave as they are.
status linter::secrets(const std::vector<bound_shapes>& secret, const std::vector<bound_shapes>& workloads) {
  std::set<std::string> moved;
  for (const auto& s : secret) {
    if (auto used = truths_->use(s); !used)
      return used;
    auto slots = truths_->make(distribution::init, 1);
    if (!slots)
      return slots.error();
    if (slots->empty() || !truths_->stands_by(*slots))
      continue;
    ++out_.secret_shapes;
    for (const auto& d : s.dims)
      if (std::none_of(workloads.begin(), workloads.end(),
                       [&d](const bound_shapes& w) { return w.dims.at(d.first) == d.second; }))
        moved.insert(d.first);
  }
  for (const auto& dim : what_.dims)
    if (!moved.count(dim))
      out_.still_dims.push_back(dim);
  warn_of_shapes();
  return ok;
}

void linter::warn_of_shapes() {
  for (const auto& t : what_.tensors)
    if (t.any_strides)
      out_.warnings.push_back(t.name +
                              " may be a view that is not contiguous: checks pass transposed, stepped "
                              "and sliced ones, the timed calls do not");
  if (is_kernelbench(what_))
    out_.warnings.emplace_back(
        "a KernelBench file fixes its shapes, so none are secret: a kernel may be right for them alone; a "
        "problem.toml with dims asks for more");
  else if (out_.secret_shapes == 0)
    out_.warnings.emplace_back(
        "no secret shape can be made from these workloads: a kernel may be right for them "
        "alone; [problem.promise] says what its dims may be");
}

status linter::left_out(const bound_shapes& shapes) {
  if (auto used = truths_->use(shapes); !used)
    return used;
  auto seen = try_left_out_work(*truths_, what_, shapes, 0.02 * task_.limits.run_s);
  if (!seen)
    return seen.error();
  if (!*seen) {
    out_.reasons.push_back(truths_->failed_on_workload());
    return ok;
  }
  for (auto& reason : (*seen)->reasons())
    unseen_.push_back(std::move(reason));
  for (const auto& r : (*seen)->results())
    out_.fakes.push_back({what_.tensors[r.tensor].name, std::string{to_text(r.fake)},
                          (r.of.empty() ? "" : r.of + ", ") + shapes.name, r.cases, r.rejected});
  return ok;
}

/// The reference has no answer to other inputs than those that init draws.
status linter::without_truths(const bound_shapes& shapes, distribution d) {
  if (d != distribution::beyond && truths_->why_unfit().empty()) { // inputs of a limited domain keep to it
    if (d == distribution::uniform && is_kernelbench(what_))
      out_.warnings.emplace_back("get_inputs() gives no values of both signs, so no other distribution and "
                                 "no edges are tried");
    return ok;
  }
  if (d != distribution::beyond) // which of those it does not survive is said for the tensors
    out_.warnings.push_back("the reference fails on " + std::string{to_text(d)} + " inputs of workload " +
                            shapes.name + ": " + truths_->why_unfit());
  return truths_->use(shapes);
}

status linter::workload(const bound_shapes& shapes, bool thorough) {
  if (auto used = truths_->use(shapes); !used)
    return used;
  std::vector<bank_slot> drawn;
  for (auto d : all_distributions) {
    if (d == distribution::beyond && !goes_beyond(what_))
      continue;
    auto slots = truths_->make(d, 2);
    if (!slots)
      return slots.error();
    if (slots->empty() && d == distribution::init) {
      out_.reasons.push_back(truths_->failed_on_workload());
      return ok;
    }
    if (slots->empty()) {
      if (auto went_on = without_truths(shapes, d); !went_on)
        return went_on;
      continue;
    }
    admission_.add(slots->back(), shapes, truths_->reference_outputs());
    if (d == distribution::init) {
      tolerances(shapes);
      repeated(slots->back(), shapes);
    }
    if (d == distribution::init || thorough)
      if (auto done = enter_spoiled_answers(admission_, *truths_, slots->back(),
                                            admission_.spoil(slots->back(), shapes), shapes);
          !done)
        return done.error();
    if (d == distribution::init)
      drawn = *std::move(slots);
  }
  return enter_another_draw(admission_, *truths_, drawn, shapes);
}

void linter::tolerances(const bound_shapes& shapes) {
  for (std::size_t t = 0; t < what_.tensors.size(); ++t) {
    const auto& spec = what_.tensors[t];
    if (spec.role == tensor_role::in)
      continue;
    auto rule = truths_->rule_of(t, distribution::init);
    lint_tolerance own{spec.name,
                       std::string{to_text(spec.dtype)},
                       shapes.name,
                       "default",
                       truths_->reductions()[t],
                       rule.relative,
                       rule.absolute,
                       0,
                       rule.of_largest ? "tensor" : "element"};
    if (what_.bitwise)
      own.rule = "bitwise";
    else if (what_.tolerances.count(own.dtype))
      own.rule = "own";
    else if (rule.exact)
      own.rule = "exact";
    else if (rule.larger)
      own.rule = "scaled", own.reference_error = rule.absolute / truths_->allowed().reference_errors;
    out_.tolerances.push_back(std::move(own));
  }
}

void linter::repeated(const bank_slot& slot, const bound_shapes& shapes) {
  std::vector<bank_slot> twice{slot, slot, slot, slot};
  auto said = truths_->answers(twice);
  for (std::size_t i = 1; i < said.size(); ++i)
    for (std::size_t t = 0; t < what_.tensors.size(); ++t) {
      if (said[i][t] == said[0][t])
        continue;
      out_.deterministic = false;
      auto wrong = check(slot.outputs[t], said[i][t].data());
      std::string what = "the reference gives two answers to one input of workload " + shapes.name +
                         " in its output " + what_.tensors[t].name;
      if (wrong.failed)
        out_.reasons.push_back(what + ", too far apart for the problem's own tolerance");
      else
        out_.warnings.push_back(what + ", within the tolerance");
      return;
    }
}

void linter::generated() {
  if (what_.generator.empty())
    return;
  out_.warnings.emplace_back(
      "inputs are what make(key, dims) of the generator returns and nothing else: checks draw other keys and "
      "shapes, but no other values, no edges (NaN, infinities, huge ones) and no changed element");
  for (const auto& name : truths_->same_for_all_keys())
    out_.warnings.push_back("make() returns the same " + name +
                            " for every key: a kernel may have it built in, unless it is drawn by the key");
  if (!truths_->not_generated().empty())
    out_.warnings.push_back(
        truths_->not_generated() +
        "; shapes that it has no inputs for are not tried: [problem.promise] says which there are");
}

void linter::enter(const std::string& name, const std::vector<bank_slot>& slots) {
  lint_edge e{name, !slots.empty(), 0, 0};
  for (const auto& slot : slots)
    for (const auto& o : slot.outputs) {
      e.elements += static_cast<std::int64_t>(o.elements);
      e.checked += static_cast<std::int64_t>(o.elements - exempt_elements(o));
    }
  out_.edges.push_back(std::move(e));
}

status linter::edge_inputs(const bound_shapes& shapes) {
  for (auto kind : edges_of(what_)) {
    if (auto used = truths_->use(shapes); !used)
      return used;
    auto slots = truths_->edge(kind);
    if (!slots)
      return slots.error();
    enter(std::string{to_text(kind)}, *slots);
  }
  return ok;
}

status linter::edge_shape(const bound_shapes& shapes) {
  if (auto used = truths_->use(shapes); !used)
    return used;
  auto slots = truths_->edge(edge_kind::plain);
  if (!slots)
    return slots.error();
  enter(shapes.name, *slots);
  return ok;
}

} // namespace

lint_report lint(const judge_task& task) {
  lint_report out;
  auto seam = wanted_driver(task.driver_kind);
  auto told = seam ? (*seam)->complete(task) : seam.error();
  if (told)
    return linter{*told, **seam}.run();
  if (told.error().kind == failure_kind::invalid)
    out.reasons.push_back(told.error().text);
  else
    out.broken = told.error().text;
  return out;
}

} // namespace ke
