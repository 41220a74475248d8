#include "backends/judge/input_maker.hpp"

#include "backends/judge/compiled_baseline.hpp"
#include "backends/judge/drivers/python_driver.hpp"
#include "backends/judge/edges.hpp"
#include "backends/judge/processors.hpp"
#include "backends/judge/python_payload.hpp"
#include "backends/judge/timing.hpp"
#include "backends/judge/values.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>
#include <sstream>

namespace ke {
namespace {

constexpr std::size_t description_bytes = 256u << 10;
constexpr std::uint32_t most_entries = 64;
constexpr std::uint8_t same_in_each_draw = 6; ///< a freedom of a description's entry

struct description_entry { // of driver.py
  char kind;
  std::uint8_t dtype, rank, freedom, reserved[4];
  std::int64_t extents[8]; ///< or the number
};
static_assert(sizeof(description_entry) == 72);

failure unfit(std::string text) {
  return {failure_kind::invalid, std::move(text)};
}

scalar_spec scalar_of(const description_entry& e, std::size_t number) {
  double value = static_cast<double>(e.extents[0]);
  if (e.kind == 'f')
    std::memcpy(&value, &e.extents[0], sizeof value);
  scalar_spec s{"s" + std::to_string(number), e.kind == 'n', value, {}};
  if (e.freedom == same_in_each_draw) // as varied.py has tried it
    s.range = value == 0
                  ? std::vector{-1.25, 1.25}
                  : std::vector{std::min(0.75 * value, 1.25 * value), std::max(0.75 * value, 1.25 * value)};
  return s;
}

/// Without a name. Nothing if the entry is none of a tensor.
std::optional<tensor_spec> tensor_of(const description_entry& e) {
  if ((e.kind != 't' && e.kind != 'o') || e.rank > 8 || e.dtype >= names_of<dtype>::value.size())
    return std::nullopt;
  tensor_spec t;
  t.role = e.kind == 'o' ? tensor_role::out : tensor_role::in;
  t.dtype = static_cast<dtype>(e.dtype);
  for (int d = 0; d < e.rank; ++d) {
    if (e.extents[d] < 0)
      return std::nullopt;
    t.shape.push_back(std::to_string(e.extents[d]));
  }
  static constexpr const char* free[] = {"get_inputs",  structured_real, any_real, structured_magnitude,
                                         any_magnitude, any_mask,        any_fixed};
  t.init = free[e.kind == 'o' ? 0 : std::min<std::size_t>(e.freedom, std::size(free) - 1)];
  return t;
}

/// The description is text of the problem's process: bounds-checked all the same.
status read_description(const std::string& text, judge_task& task) {
  const auto* memory = text.data();
  std::uint32_t entries = 0, length = 0;
  std::memcpy(&entries, memory, 4);
  std::memcpy(&length, memory + 4, 4);
  if (entries > most_entries || 8 + entries * sizeof(description_entry) + length > description_bytes)
    return unfit(task.what.name + ".py: more than " + std::to_string(most_entries) + " inputs and outputs");
  auto& what = task.what;
  std::size_t inputs = 0, outputs = 0;
  for (std::uint32_t i = 0; i < entries; ++i) {
    description_entry e;
    std::memcpy(&e, memory + 8 + i * sizeof e, sizeof e);
    if (e.kind == 'n' || e.kind == 'f') {
      what.scalars.push_back(scalar_of(e, what.scalars.size()));
      task.order += 's';
      continue;
    }
    auto t = tensor_of(e);
    if (!t)
      return unfit(task.what.name + ".py: its tensors could not be read");
    bool out = t->role == tensor_role::out;
    t->name = out ? "out" + std::to_string(outputs++) : "in" + std::to_string(inputs++);
    if (!out)
      task.order += 't';
    what.tensors.push_back(*std::move(t));
  }
  if (outputs == 0)
    return unfit(task.what.name + ".py: Model returns nothing");
  std::istringstream lines{{memory + 8 + entries * sizeof(description_entry), length}};
  std::string varied;
  std::getline(lines, task.arguments);
  if (std::getline(lines, varied) && !varied.empty()) // a line of its own in each payload
    task.arguments += "\nvary " + varied;
  for (std::string line; std::getline(lines, line);)
    task.provenance[provenance_keys::not_varied] +=
        (task.provenance[provenance_keys::not_varied].empty() ? "" : "; ") + line;
  return ok;
}

std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// `d` is not `init`. A function of each value alone: equal elements stay equal, and zeros zero, so that what
/// is symmetric or triangular stays so.
void bend(dtype type, std::string& bytes, distribution d, std::uint64_t key, bool flip) {
  std::size_t n = bytes.size() / bytes_of(type);
  for (std::size_t i = 0; i < n; ++i) {
    double value = element(type, bytes.data(), i), size = std::fabs(value);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &size, sizeof bits);
    auto drawn = scrambled(bits ^ key);
    if (flip && (drawn >> 7) & 1)
      value = -value;
    switch (d) {
    case distribution::uniform:
      value = value == 0 ? value : std::copysign(static_cast<double>(drawn >> 11) * 0x1p-53, value);
      break;
    case distribution::large:
      value *= 16;
      break;
    case distribution::small:
      value *= 0x1p-8;
      break;
    default:
      value = drawn % 8 ? 0 : value;
    }
    set_element(type, bytes.data(), i, value);
  }
}

/// Another part of the elements than the file leaves, whatever that is, and anywhere.
void draw_mask(dtype type, std::string& bytes, random_source& random) {
  double density = 0.25 + 0.5 * random.uniform();
  for (std::size_t i = 0, n = bytes.size() / bytes_of(type); i < n; ++i)
    set_element(type, bytes.data(), i, random.uniform() < density ? 1 : 0);
}

/// Others of the same kind, as other_fixed of varied.py: floating ones near what is there; whole ones in
/// another order; if they rise, others that rise by the same steps; all of them one number: up to it.
void draw_fixed(dtype type, std::string& bytes, random_source& random) {
  std::vector<double> values;
  for (std::size_t i = 0, n = bytes.size() / bytes_of(type); i < n; ++i)
    values.push_back(element(type, bytes.data(), i));
  if (values.empty())
    return;
  auto [least, most] = std::ranges::minmax(values);
  if (is_floating(type)) {
    for (auto& v : values)
      v = v == 0 ? random.uniform() - 0.5 : v * (0.5 + random.uniform());
  } else if (least == most) {
    double low = std::min(1.0, least);
    for (auto& v : values)
      v = low + static_cast<double>(random.below(static_cast<std::uint64_t>(most - low) + 1));
  } else {
    std::vector<double> steps;
    for (std::size_t i = 1; i < values.size(); ++i)
      steps.push_back(values[i] - values[i - 1]);
    if (std::ranges::all_of(steps, [](double s) { return s >= 0; }) &&
        !std::ranges::all_of(steps, [](double s) { return s == 1; })) {
      random.shuffle(steps);
      for (std::size_t i = 1; i < values.size(); ++i)
        values[i] = values[i - 1] + steps[i - 1];
    } else {
      random.shuffle(values);
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    set_element(type, bytes.data(), i, values[i]);
}

} // namespace

result<judge_task> python_task(const judge_task& task) {
  auto told = task;
  told.weights = secret_key();
  told.candidate = "candidate"; // names of roles, where others have objects
  told.reference = "reference";
  auto compiled = read_compiled(told.baseline);
  if (!compiled)
    return compiled.error();
  told.compiled = *std::move(compiled);
  told.baseline = told.baseline_source.empty() ? "" : "baseline";
  if (is_kernelbench(told.what))
    if (auto s = describe_kernelbench(told, secret_key()); !s)
      return s.error();
  // PyTorch has nothing wider than double precision.
  bool floats = false, doubles = false;
  for (const auto& t : told.what.tensors) {
    floats = floats || (t.role != tensor_role::in && is_floating(t.dtype));
    doubles = doubles || t.dtype == dtype::f64;
  }
  if (floats && !doubles && !told.what.bitwise)
    told.truth = "truth";
  return told;
}

status describe_kernelbench(judge_task& task, std::uint64_t seed) {
  auto how = python_driver.limits(task, "", description_bytes, {});
  how.payload = python_payload(task, python_role::describe, seed, cpus_for(task.what.policy.threads));
  how.load_s = task.limits.run_s / 2;
  call_outcome loading;
  auto process = open_driver::start(python_driver, how, loading);
  if (!process)
    return process.error();
  if (loading.end == call_end::machine)
    return failure{failure_kind::device, loading.why, true};
  if (loading.end != call_end::done)
    return unfit("the problem " + task.what.name + " cannot be read: " + loading.why);
  std::string description(description_bytes, '\0');
  python_driver.read(process->state(), 0, description);
  return read_description(description, task);
}

input_maker::input_maker(const judge_task& task) : task_{task} {
  what_.tensors.push_back({"seed", tensor_role::in, dtype::i64, {"1"}, "ints"});
  what_.name = task.what.name;
  what_.policy = task.what.policy;
  what_.reference_language = "python";
  what_.reference = task.what.reference;
  for (std::size_t t = 0; t < task.what.tensors.size(); ++t)
    if (task.what.tensors[t].role != tensor_role::out) {
      tensors_.push_back(t);
      what_.tensors.push_back(task.what.tensors[t]);
      what_.tensors.back().role = tensor_role::out;
    }
}

status input_maker::start(const bound_shapes& shapes) {
  shapes_ = {};
  shapes_.name = shapes.name;
  shapes_.shapes = {{1}};
  shapes_.elements = {1};
  for (auto t : tensors_) {
    shapes_.shapes.push_back(shapes.shapes[t]);
    shapes_.elements.push_back(shapes.elements[t]);
  }
  judge_task own;
  own.what = what_;
  own.order = "t";
  auto how = python_driver.limits(task_, "", caller::memory_for(what_, shapes_, 1, false), {});
  how.payload = python_payload(own, python_role::maker, 0, cpus_for(task_.what.policy.threads));
  call_outcome loading;
  auto process = open_driver::start(python_driver, how, loading);
  if (!process)
    return process.error();
  if (loading.end != call_end::done)
    return failure{failure_kind::device, "the inputs cannot be made: " + loading.why, true};
  maker_ = std::make_unique<caller>(*std::move(process), what_, false, secret_key());
  if (!maker_->bind(shapes_, 1))
    return failure{failure_kind::internal, "the shared memory is too small for " + shapes.name};
  return ok;
}

result<std::vector<std::vector<std::string>>>
input_maker::draw(std::size_t count, distribution d, const bound_shapes& shapes, random_source& random) {
  if (!maker_)
    if (auto s = start(shapes); !s)
      return s.error();
  std::vector<std::vector<std::string>> all;
  for (std::size_t i = 0; i < count; ++i) {
    bank_slot request;
    request.inputs.resize(what_.tensors.size());
    std::uint64_t seed = random.next() >> 2;
    request.inputs[0].assign(reinterpret_cast<const char*>(&seed), sizeof seed);
    const bank_slot* slot = &request;
    auto said = maker_->run(std::span{&slot, 1}, nullptr, false, task_.limits.run_s / 2);
    if (said.call.end != call_end::done || !said.call.why.empty())
      return unfit("get_inputs() of " + task_.what.name + ".py fails: " + said.call.why);
    std::vector<std::string> made(task_.what.tensors.size());
    bool bent = d == distribution::init || (d == distribution::beyond && varies_numbers(task_.what));
    auto key = random.next();
    for (std::size_t k = 0; k < tensors_.size(); ++k) {
      const auto& spec = task_.what.tensors[tensors_[k]];
      auto& bytes = made[tensors_[k]] = maker_->output(0, k + 1);
      if (d == distribution::init || spec.init == "get_inputs" ||
          (spec.init == any_mask || spec.init == any_fixed) != (d == distribution::beyond))
        continue;
      if (spec.init == any_mask)
        draw_mask(spec.dtype, bytes, random);
      else if (spec.init == any_fixed)
        draw_fixed(spec.dtype, bytes, random);
      else
        bend(spec.dtype, bytes, d, key, flips(spec));
      bent = true;
    }
    if (!bent)
      return std::vector<std::vector<std::string>>{};
    all.push_back(std::move(made));
  }
  return all;
}

namespace {

/// Where rows begin, or the like: one of them moved is none of the problem's inputs.
bool rises(const tensor_spec& t, const std::string& bytes, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i)
    if (element(t.dtype, bytes.data(), i) < element(t.dtype, bytes.data(), i - 1))
      return false;
  return true;
}

} // namespace

bool input_maker::perturb(const tensor_spec& t, std::string& bytes, random_source& random) {
  std::size_t size = bytes_of(t.dtype), n = bytes.size() / size;
  bool real = is_floating(t.dtype);
  if (!real && (t.init == any_fixed || rises(t, bytes, n))) // the first have draws of their own, as a whole
    return false;
  for (int tries = 0; n > 1 && tries < 64; ++tries) {
    std::size_t i = random.below(n), j = random.below(n);
    if (std::memcmp(&bytes[i * size], &bytes[j * size], size) == 0 ||
        (real && (element(t.dtype, bytes.data(), i) == 0 || element(t.dtype, bytes.data(), j) == 0)))
      continue;
    auto old = bytes.substr(i * size, size), other = bytes.substr(j * size, size);
    for (std::size_t k = real ? 0 : i; k < (real ? n : i + 1); ++k)
      if (bytes.compare(k * size, size, old) == 0)
        bytes.replace(k * size, size, other);
    return true;
  }
  return false;
}

} // namespace ke
