// The truth at the edges, and what the reference tells about itself when it is asked about other inputs.
#include "backends/judge/truth.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>

namespace ke {
namespace {

/// Changed elements per input tensor: the first and the last, which a sum of all before or behind reaches the farthest, and
/// some between.
constexpr std::size_t probes = 5;

std::size_t last_of(const bound_shapes& shapes, std::size_t tensor) {
  return shapes.shapes[tensor].empty() ? 1 : static_cast<std::size_t>(shapes.shapes[tensor].back());
}

template <class Bits>
std::string differing_bits(const std::string& a, const std::string& b, std::size_t n) {
  std::string all(n, '\0');
  for (std::size_t i = 0; i < n; ++i) {
    Bits x, y;
    std::memcpy(&x, a.data() + i * sizeof x, sizeof x);
    std::memcpy(&y, b.data() + i * sizeof y, sizeof y);
    all[i] = x != y;
  }
  return all;
}

/// Per element: 1 where the two differ in a bit.
std::string differing(dtype d, const std::string& a, const std::string& b, std::size_t n) {
  switch (bytes_of(d)) {
  case 1:
    return differing_bits<std::uint8_t>(a, b, n);
  case 2:
    return differing_bits<std::uint16_t>(a, b, n);
  case 4:
    return differing_bits<std::uint32_t>(a, b, n);
  default:
    return differing_bits<std::uint64_t>(a, b, n);
  }
}

/// What lies in `all` for the elements of each output, one after another.
std::optional<std::vector<std::string>> parted(std::string_view all, const bound_shapes& shapes,
                                               const std::vector<tensor_spec>& tensors) {
  std::vector<std::string> parts(tensors.size());
  for (std::size_t t = 0; t < tensors.size(); ++t)
    if (tensors[t].role != tensor_role::in) {
      parts[t] = all.substr(0, shapes.elements[t]);
      all.remove_prefix(parts[t].size());
      if (parts[t].size() != shapes.elements[t])
        return std::nullopt;
    }
  return parts;
}

/// Bit by bit, or as threads that add in another order leave it.
bool nearly_the_same(dtype d, const std::string& a, const std::string& b) {
  if (a == b)
    return true;
  if (!is_floating(d) || a.size() != b.size())
    return false;
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < a.size() / bytes_of(d); ++i) {
    double x = element(d, a.data(), i), y = element(d, b.data(), i);
    if (std::isnan(x) != std::isnan(y) || std::isinf(x) != std::isinf(y) || (std::isinf(x) && x != y))
      return false;
    if (!std::isfinite(x))
      continue;
    largest = std::max(largest, std::fabs(x));
    apart = std::max(apart, std::fabs(x - y));
  }
  return apart <= (is_float8(d) ? 2 : 32) * unit_roundoff(d) * largest;
}

/// What so many terms below the smallest normal number of single precision may amount to: additions in a device's
/// memory (`red.global.add.f32` of PTX) flush them. Those of other widths are not flushed there, or are normal in it.
double flushed(dtype d, double terms) {
  return d == dtype::f32 || d == dtype::bf16 ? terms * 0x1p-126 : 0;
}

/// Another value for element `i` of an input: any of our own where the problem says how it is drawn, else
/// that of another element, since only get_inputs() knows which values are legal. False if there is none.
bool change(const tensor_spec& t, std::string& bytes, std::size_t elements, std::size_t i) {
  if (bends(t)) {
    double value = element(t.dtype, bytes.data(), i);
    set_element(t.dtype, bytes.data(), i, value > 0 ? -1 - value : 1 - value);
    return true;
  }
  std::size_t size = bytes_of(t.dtype);
  for (std::size_t far = 1; far < elements; ++far) { // most may be equal
    auto other = (i + far) % elements;
    if (std::memcmp(&bytes[i * size], &bytes[other * size], size) == 0)
      continue;
    std::memcpy(&bytes[i * size], &bytes[other * size], size);
    return true;
  }
  return false;
}

std::size_t count_of_differing(dtype type, const std::string& a, const std::string& b, std::size_t n) {
  const auto differ = differing(type, a, b, n);
  return static_cast<std::size_t>(std::count(differ.begin(), differ.end(), '\1'));
}

/// Of n elements: the first, the last, and others spread by the golden ratio, the same in every run.
std::size_t place_of_probe(std::size_t probe, std::size_t n) {
  if (probe < 2)
    return probe == 0 ? 0 : n - 1;
  auto share = std::fmod(0.3 + 0.618034 * static_cast<double>(probe - 2), 1.0);
  return static_cast<std::size_t>(share * static_cast<double>(n));
}

} // namespace

std::vector<std::vector<std::string>> truth_source::answers(std::span<const bank_slot> slots,
                                                            banked_caller::ask whom) {
  std::vector<std::vector<std::string>> all;
  for (std::size_t from = 0; from < slots.size(); from += batch_) {
    if (!reference_)
      return {};
    std::vector<const bank_slot*> batch;
    for (std::size_t i = from; i < std::min(slots.size(), from + batch_); ++i)
      batch.push_back(&slots[i]);
    auto said = reference_->run(batch, task_.limits.run_s / 2, whom);
    if (said.call.end != call_end::done) {
      unfit_ = said.call.why;
      lose(reference_);
      return {};
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      all.emplace_back(task_.what.tensors.size());
      for (std::size_t t = 0; t < all.back().size(); ++t)
        if (task_.what.tensors[t].role != tensor_role::in)
          all.back()[t] = reference_->output(i, t);
    }
  }
  return all;
}

bool truth_source::stands_by(std::span<const bank_slot> slots) {
  std::vector<const bank_slot*> asked;
  for (const auto& slot : slots)
    asked.push_back(&slot);
  if (!reference_)
    return false;
  if (auto known = reference_->found("stands by itself", asked)) {
    unfit_ = *known;
    return known->empty();
  }
  std::vector<std::vector<std::string>> said[2];
  for (auto& answer : said) {
    if (!reference_)
      return false;
    reference_->soil();
    answer = answers(slots, banked_caller::ask::anew);
    if (answer.size() != slots.size())
      return false;
  }
  std::string beside;
  for (std::size_t s = 0; s < slots.size(); ++s)
    for (std::size_t t = 0; t < task_.what.tensors.size(); ++t)
      if (!nearly_the_same(task_.what.tensors[t].dtype, said[0][s][t], said[1][s][t]))
        beside =
            "what it answers in " + task_.what.tensors[t].name + " depends on what lies beside its inputs";
  reference_->note("stands by itself", asked, beside);
  if (!beside.empty())
    unfit_ = beside;
  return beside.empty();
}

bool truth_source::stands_misaligned(const bank_slot& slot) {
  constexpr std::string_view name = "stands by misaligned tensors";
  const bank_slot* asked[] = {&slot};
  if (!reference_)
    return false;
  if (auto known = reference_->found(name, asked))
    return known->empty();
  if (!reference_->bind(shapes_, batch_, true))
    return true; // they fit nobody
  auto said = reference_->run(asked, task_.limits.run_s / 2, banked_caller::ask::anew);
  auto fails = said.call.end != call_end::done ? said.call.why : changed_answer(asked);
  if (said.call.end != call_end::done)
    lose(reference_);
  if (said.call.end == call_end::machine || (!reference_ && !start(false)) ||
      !reference_->bind(shapes_, batch_))
    return false;
  reference_->note(name, asked, fails);
  return fails.empty();
}

status truth_source::measure_reductions() {
  const auto& tensors = task_.what.tensors;
  reductions_.assign(tensors.size(), 1.0);
  if (!wide_)
    return ok;
  if (auto known = known_reductions_.find(shapes_.dims); known != known_reductions_.end()) {
    reductions_ = known->second;
    return ok;
  }
  if (recall_reductions())
    return ok;
  auto base = make(distribution::init, 1);
  if (!base || base->empty()) // whoever asks for a slot will hear why
    return base ? ok : status{base.error()};
  for (int again = 0; maker_ && again < 3 && reference_ns_ > 5e8; ++again)
    if (auto more = make(distribution::init, 1); !more) // a loaded machine, or a reference of seconds?
      return more.error();
  if (maker_ && reference_ns_ > 5e8) // too dear to be asked a dozen times; the yardstick alone is stricter
    return ok;
  if (probe_reductions(base->front()))
    keep_reductions();
  known_reductions_[shapes_.dims] = reductions_;
  return ok;
}

bool truth_source::probe_reductions(const bank_slot& base) {
  const auto& tensors = task_.what.tensors;
  std::vector<bank_slot> slots{base.without_truth()};
  std::vector<std::size_t> changed_tensor;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    std::size_t n = draws_values(tensors[t]) ? shapes_.elements[t] : 0;
    for (std::size_t p = 0; p < probes && n > 0; ++p)
      if (auto slot = base.without_truth(); change(tensors[t], slot.inputs[t], n, place_of_probe(p, n))) {
        slots.push_back(std::move(slot));
        changed_tensor.push_back(t);
      }
  }
  auto said = answers(slots);
  if (said.size() != slots.size())
    return false;
  for (std::size_t s = 1; s < said.size(); ++s)
    for (std::size_t o = 0; o < tensors.size(); ++o) {
      if (tensors[o].role == tensor_role::in || shapes_.elements[o] == 0)
        continue;
      auto reached = count_of_differing(tensors[o].dtype, said[0][o], said[s][o], shapes_.elements[o]);
      auto inputs = static_cast<double>(shapes_.elements[changed_tensor[s - 1]]),
           behind = inputs * static_cast<double>(reached) / static_cast<double>(shapes_.elements[o]);
      reductions_[o] = std::max(reductions_[o], std::min(behind, inputs));
    }
  return true;
}

std::vector<std::string> truth_source::touched_by(const bank_slot& slot, std::size_t tensor,
                                                  const std::vector<std::size_t>& places) {
  const auto& tensors = task_.what.tensors;
  const bank_slot* const asked = &slot;
  std::string question = "touched in " + tensors[tensor].name + " at";
  for (auto p : places)
    question += ' ' + std::to_string(p);
  if (auto known = reference_->found(question, {&asked, 1}))
    if (auto touched = parted(*known, shapes_, tensors))
      return *std::move(touched);
  // A value that no maximum, minimum or threshold overlooks in both of its signs.
  std::vector<bank_slot> pair{slot.without_truth(), slot.without_truth()};
  for (auto p : places) {
    set_element(tensors[tensor].dtype, pair[0].inputs[tensor].data(), p, 1000);
    set_element(tensors[tensor].dtype, pair[1].inputs[tensor].data(), p, -500);
  }
  auto said = [&] {
    truth_bank::answers_for_once for_once{*bank_};
    return answers(pair);
  }();
  std::vector<std::string> touched(tensors.size());
  if (said.size() != 2)
    return touched;
  std::string all;
  for (std::size_t o = 0; o < tensors.size(); ++o)
    if (tensors[o].role != tensor_role::in)
      all += touched[o] = differing(tensors[o].dtype, said[0][o], said[1][o], shapes_.elements[o]);
  if (bank_->has_room(all.size())) // it may be as large as an answer
    reference_->note(question, {&asked, 1}, all);
  return touched;
}

/// Usual inputs, bent: in all tensors at once, or in one tensor each.
struct truth_source::bent_inputs {
  std::vector<bank_slot> slots;
  std::vector<std::vector<std::string>> touched; ///< per slot and tensor: what a NaN in the inputs reaches
};

truth_source::bent_inputs truth_source::bend_inputs(edge_kind kind, const bank_slot& base) {
  const auto& tensors = task_.what.tensors;
  const bool one_tensor = kind == edge_kind::masked || kind == edge_kind::infinity || kind == edge_kind::nan;
  bent_inputs bent;
  auto& [slots, touched] = bent;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (!bends(tensors[t]) || shapes_.elements[t] == 0 || kind == edge_kind::plain)
      continue;
    if (slots.empty() || one_tensor) {
      slots.push_back(base.without_truth());
      touched.emplace_back(tensors.size());
    }
    auto places = one_tensor ? special_places(shapes_.elements[t], random_) : std::vector<std::size_t>{};
    if (kind == edge_kind::nan) {
      touched.back() = touched_by(base, t, places);
      if (!reference_)
        return {};
    }
    bend(kind, tensors[t].dtype, slots.back().inputs[t], last_of(shapes_, t), places, random_);
  }
  if (kind == edge_kind::plain) {
    slots.push_back(base.without_truth());
    touched.emplace_back(tensors.size());
  }
  for (auto& slot : slots) {
    slot.key = kind == edge_kind::plain ? slot.key : 0; // bent ones come from no key
    slot.distribution = kind == edge_kind::plain ? to_text(distribution::init) : to_text(kind);
  }
  return bent;
}

bool truth_source::has_empty_input() const {
  const auto& tensors = task_.what.tensors;
  for (std::size_t t = 0; t < tensors.size(); ++t)
    if (tensors[t].role != tensor_role::out && shapes_.elements[t] == 0)
      return true;
  return false;
}

/// What an output of call `i` of the last batch may be. `moved`, `backwards`: by how much rounding of the inputs
/// and another order move it.
void truth_source::expect_at_edge(edge_kind kind, bank_slot& slot, std::size_t i, std::size_t o,
                                  const std::string& touched, double moved, double backwards) {
  const auto& tensor = task_.what.tensors[o];
  const auto elements = shapes_.elements[o];
  // Who adds a tail first loses what follows term by term, all in the same way.
  double equal = kind == edge_kind::tail ? 1 : equal_share(slot, reductions_[o]);
  auto rule = rule_of(o, distribution::init, equal);
  bool from_wide = wide_ && is_floating(tensor.dtype) && !rule.exact;
  const auto& said = reference_->output(i, o);
  if (rule.larger && sums(o)) { // its terms may be of another size than those of usual inputs
    double own = reference_error(tensor.dtype, truth_->output(i, o).data(), true, said.data(), elements);
    rule.absolute = std::max(rule.absolute, allowed_.reference_errors * std::max(own, moved));
  }
  double flush =
      form_.flushes_sums && kind == edge_kind::subnormal ? flushed(tensor.dtype, reductions_[o]) : 0;
  slot.outputs[o] =
      expect_edge(tensor.dtype, from_wide ? truth_->output(i, o).data() : said.data(), from_wide, said.data(),
                  elements, rule, {kind, touched, allowed_.reference_errors, backwards, flush});
  // A whole number that wider arithmetic makes another one lies on a step: any answer passes.
  if (wide_ && !is_floating(tensor.dtype)) {
    const auto steps = differing(tensor.dtype, said, truth_->output(i, o), elements);
    for (std::size_t e = 0; e < elements; ++e)
      if (steps[e] != 0)
        exempt_element(slot.outputs[o], e);
  }
  // Without a second opinion, what a reference says of nothing may be what lay beside its input.
  if (!wide_ && has_empty_input())
    for (std::size_t e = 0; e < elements; ++e)
      exempt_element(slot.outputs[o], e);
}

result<std::vector<bank_slot>> truth_source::edge(edge_kind kind) {
  auto base = make(distribution::init, 1);
  if (!base || base->empty())
    return base;
  return edge(kind, base->front());
}

result<std::vector<bank_slot>> truth_source::edge(edge_kind kind, const bank_slot& usual) {
  if (!reference_) // died on an earlier input of these shapes
    return std::vector<bank_slot>{};
  auto bent = bend_inputs(kind, usual);
  auto& slots = bent.slots;
  if (kind ==
      edge_kind::one_huge) { // who looks at one input of 1,024 may meet one of two places, hardly of four
    auto again = bend_inputs(kind, usual);
    std::move(again.slots.begin(), again.slots.end(), std::back_inserter(slots));
    std::move(again.touched.begin(), again.touched.end(), std::back_inserter(bent.touched));
  }
  for (std::size_t from = 0; from < slots.size(); from += batch_) {
    std::span batch{slots.data() + from, std::min<std::size_t>(batch_, slots.size() - from)};
    bool was_wide = wide_;
    std::vector<std::vector<double>> moved, backwards;
    for (const auto& slot : batch) {
      moved.push_back(moved_by_rounding(slot, 1)); // one huge term may be in few of the sums
      // A bound that was tightened leaves no room for the luck of one order.
      if (allowed_.reference_errors < allowance{}.reference_errors)
        backwards.push_back(errors_backwards(slot, kind));
    }
    if (!compute(batch) || was_wide != wide_) {
      wide_ = was_wide; // a truth that died of these inputs is still the truth of others
      return std::vector<bank_slot>{};
    }
    for (std::size_t i = 0; i < batch.size(); ++i)
      for (std::size_t o = 0; o < task_.what.tensors.size(); ++o)
        if (task_.what.tensors[o].role != tensor_role::in)
          expect_at_edge(kind, batch[i], i, o, bent.touched[from + i][o], moved[i][o],
                         backwards.empty() ? 0 : backwards[i][o]);
  }
  return std::move(bent.slots);
}

} // namespace ke
