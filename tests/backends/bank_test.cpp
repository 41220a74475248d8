// The bank of inputs, where it has no room for them: keys and truths stay, inputs are drawn again.
#include "backends/judge/inputs.hpp"
#include "backends/judge/timing.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/problem.hpp"
#include "tests/backends/fake_device.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>

using namespace ke;
using ke_test::fake_device;

namespace {

constexpr std::size_t elements = 4096;

std::set<std::string>& inputs_seen() {
  static std::set<std::string> all;
  return all;
}

void bank_sum(float* x, float* y, std::int64_t n) {
  y[0] = 0;
  for (std::int64_t i = 0; i < n; ++i)
    y[0] += x[i];
}

void bank_noted_sum(float* x, float* y, std::int64_t n) {
  inputs_seen().emplace(reinterpret_cast<const char*>(x), static_cast<std::size_t>(n) * sizeof *x);
  bank_sum(x, y, n);
}

/// Leaves out a term from its eleventh call on: as who can tell that the checks are over.
void bank_sum_for_a_while(float* x, float* y, std::int64_t n) {
  inputs_seen().emplace(reinterpret_cast<const char*>(x), static_cast<std::size_t>(n) * sizeof *x);
  bank_sum(x, y, inputs_seen().size() > 10 ? n - 1 : n);
}

/// Large inputs, small results.
judge_task sum_task() {
  judge_task task;
  task.what.name = "sum";
  task.what.dims = {"N"};
  task.what.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
                       {"y", tensor_role::out, dtype::f32, {"1"}, "normal"}};
  task.what.workloads = {{"wide", {{"N", elements}}, 1.0, false}};
  task.what.reference_language = "c++";
  task.candidate = "candidate";
  task.reference = "reference";
  task.budget_s = 0.3;
  return task;
}

struct bank_bench {
  driver_seam seam = fake_device();
  judge_task task = sum_task();
  bound_shapes shapes = *bind_shapes(task.what, "wide", {{"N", elements}});
  truth_source truths{task,
                      seam,
                      caller::memory_for(task.what, shapes, truth_source::batch_of(task.what, shapes), false),
                      0,
                      {}};

  bank_bench() {
    ke_test::device_kernels() = {{"reference", {.body = bank_sum, .late_ns = 20'000}},
                                 {"candidate", {.body = bank_noted_sum, .late_ns = 20'000}}};
    inputs_seen().clear();
    REQUIRE(truths.use(shapes));
  }
  /// All the timed part of a judgement.
  evidence timed(std::vector<timed_workload>& all, std::size_t bank_bytes = 0) {
    interludes none;
    evidence found;
    timing t{task, seam, all, none, truths, {}, 7, bank_bytes};
    REQUIRE(t.run(found));
    return found;
  }
  timed_workload workload() {
    REQUIRE(truths.make(distribution::init, 1)); // poison is made of results
    random_source random{1};
    timed_workload w;
    w.shapes = shapes;
    w.rubbish = std::make_shared<const poison>(task.what, truths.reference_outputs(), random);
    w.reference_ns = w.candidate_ns = 28'800;
    return w;
  }
};

} // namespace

TEST_CASE("inputs that were let go of come back as they were, and others are refused") {
  bank_bench b;
  auto slots = b.truths.make(distribution::init, 2);
  REQUIRE(slots);
  REQUIRE(slots->size() == 2);
  auto before = *slots;
  CHECK(before[0].inputs != before[1].inputs);
  for (auto& slot : *slots) {
    CHECK(truth_source::let_go(slot));
    CHECK(slot.inputs.empty());
    CHECK(slot.bytes() == slot.truth_bytes());
  }
  for (std::size_t i : {1u, 0u}) { // in any order
    REQUIRE(b.truths.restore((*slots)[i], b.shapes));
    CHECK((*slots)[i].inputs == before[i].inputs);
  }
  truth_source::let_go((*slots)[0]);
  (*slots)[0].digest ^= 1;
  auto other = b.truths.restore((*slots)[0], b.shapes);
  REQUIRE_FALSE(other);
  CHECK(other.error().kind == failure_kind::device);
}

TEST_CASE("inputs that come from no key are never let go of") {
  bank_bench b;
  auto usual = b.truths.make(distribution::init, 1);
  REQUIRE(usual);
  auto changed = b.truths.perturbed(usual->front(), distribution::init);
  auto bent = b.truths.edge(edge_kind::nan);
  auto large = b.truths.make(distribution::large, 1);
  REQUIRE((changed && bent && large));
  for (auto* slots : {&*changed, &*bent, &*large}) {
    REQUIRE_FALSE(slots->empty());
    CHECK_FALSE(truth_source::let_go(slots->front()));
    CHECK(slots->front().inputs.size() == 2);
  }
}

TEST_CASE("timed calls on a device have fresh inputs that nobody draws, and their results stay there") {
  bank_bench b;
  b.seam = ke_test::mixing_device();
  static int fetched;
  fetched = 0;
  b.seam.kept = [](driver_state& s, const result_part& part) {
    fetched += part.bytes == sizeof(float);
    ke_test::device::kept(s, part);
  };
  std::vector<timed_workload> all{b.workload()};
  auto found = b.timed(all);
  const auto& w = all.front();
  CHECK(w.is_mixed());
  CHECK(w.bank.back().inputs.empty());
  CHECK(found.failed == 0);
  CHECK(found.timed_calls > 20);
  CHECK(found.timed_calls_checked == found.timed_calls);
  // Alone, outside of the evidence, and in launches that are measured again beside others' work as well.
  auto launches = static_cast<std::int64_t>(found.launches.size()) +
                  static_cast<std::int64_t>(found.counters[counter_keys::gate_repeated]);
  auto replayed = 12 * launches;
  CHECK(static_cast<std::int64_t>(inputs_seen().size()) == found.timed_calls + found.cases + replayed);
  CHECK(fetched < found.timed_calls / 4);   // but for the few that are looked at before the stop
  for (const auto& bytes : inputs_seen()) { // as init draws them
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < elements; ++i) {
      double x = element(dtype::f32, bytes.data(), i);
      sum += x;
      squares += x * x;
    }
    REQUIRE(std::fabs(sum / elements) < 0.1);
    REQUIRE(std::fabs(squares / elements - 1) < 0.15);
  }
}

TEST_CASE("who leaves work out once he is timed is found where results stay on a device, and what he said is "
          "told") {
  bank_bench b;
  b.seam = ke_test::mixing_device();
  ke_test::device_kernels()["candidate"] = {.body = bank_sum_for_a_while, .late_ns = 20'000};
  std::vector<timed_workload> all{b.workload()};
  auto found = b.timed(all);
  CHECK(found.failed > 0);
  REQUIRE(found.first_failure);
  CHECK(found.first_failure->tensor == "y");
  CHECK(std::fabs(found.first_failure->expected - found.first_failure->got) > found.first_failure->bound);
}

TEST_CASE("Bug: results that a device had no room for were called wrong, and it is the machine's fault") {
  bank_bench b;
  b.seam = ke_test::mixing_device();
  b.seam.keep = [](driver_state&, std::span<const result_part>) -> status {
    return failure{failure_kind::device, "no room", true};
  };
  std::vector<timed_workload> all{b.workload()};
  auto found = b.timed(all);
  CHECK(found.failed == 0);
  CHECK(found.ending == ending::harness_error);
  CHECK(found.reason.find("no room") != std::string::npos);
}

TEST_CASE("an input whose elements are not drawn alike is drawn on the host, on a device as well") {
  bank_bench b;
  b.seam = ke_test::mixing_device();
  b.task.what.tensors.front().init = "zeros";
  std::vector<timed_workload> all{b.workload()};
  auto found = b.timed(all);
  CHECK_FALSE(all.front().is_mixed());
  CHECK(found.failed == 0);
}

TEST_CASE("timed calls have fresh inputs, and the baseline's answers to the same ones say what is right") {
  bank_bench b;
  std::vector<timed_workload> all{b.workload()};
  auto found = b.timed(all);
  const auto& w = all.front();
  CHECK(w.bank.back().outputs.empty()); // nobody but the baseline was asked
  CHECK(found.failed == 0);
  CHECK(found.timed_calls > 20);
  CHECK(found.timed_calls_checked == found.timed_calls);
  CHECK(static_cast<std::int64_t>(inputs_seen().size()) == found.timed_calls + found.cases);
  ke_test::device_kernels()["candidate"] = {.body = bank_sum_for_a_while, .late_ns = 20'000};
  inputs_seen().clear();
  CHECK(b.timed(all).failed > 0);
}

TEST_CASE("beside another baseline a bank with room for a few inputs has fresh ones for every timed call") {
  bank_bench b;
  b.task.baseline = "reference";
  constexpr std::size_t room = 20;
  std::vector<timed_workload> all{b.workload()};
  auto found = b.timed(all, room * elements * sizeof(float));
  const auto& w = all.front();
  CHECK(w.redraws);
  CHECK(std::size_t{w.calls} * w.pairs + w.warm > 2 * room);
  CHECK(found.failed == 0);
  CHECK(found.timed_calls > static_cast<std::int64_t>(2 * room));
  CHECK(found.timed_calls_checked == found.timed_calls);
  CHECK(static_cast<std::int64_t>(inputs_seen().size()) == found.timed_calls + found.cases);
}

TEST_CASE("beside another baseline a bank with room for all inputs keeps them") {
  bank_bench b;
  b.task.baseline = "reference";
  std::vector<timed_workload> all{b.workload()};
  auto found = b.timed(all);
  CHECK_FALSE(all.front().redraws);
  CHECK_FALSE(all.front().bank.back().inputs.empty());
  CHECK(found.failed == 0);
}

TEST_CASE("Bug: results filled before their calls were paid where the reference's fresh memory is dear") {
  // 15 of 16 pages were filled at load. A copy of them cost 8.6 ms, and the reference took 20 ms for all.
  double own = 0.4e6, copy = 8.6e6, reference = 20e6;
  CHECK(reference / (own + copy) > 2);
  CHECK(reference / with_unwritten(own, 15.0 / 16, reference) < 1.1);
  CHECK(with_unwritten(own, 0, reference) == own); // who writes all of it pays nothing
}
