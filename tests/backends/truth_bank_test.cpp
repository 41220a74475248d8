// What references have answered, kept from one judgement to the next.
#include "backends/evaluation/truth_banks.hpp"
#include "backends/judge/session.hpp"
#include "backends/judge/truth.hpp"
#include "backends/judge/truth_bank.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/problem.hpp"
#include "tests/backends/fake_device.hpp"
#include "tests/backends/problems.hpp"

#include <catch2/catch.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <set>

using namespace ke;
using ke_test::fake_device;

namespace {

std::string bank_name(std::string_view what) {
  return content_name(std::vector<std::string_view>{what});
}

/// A file of a bank, for several judges.
struct shared_bank {
  int fd = memfd_create("ke-truth-bank-test", MFD_CLOEXEC);
  ~shared_bank() { close(fd); }
  int for_a_judge() const { return dup(fd); }
};

struct asked_of {
  int reference = 0, candidate = 0;
  std::set<std::string> inputs; ///< of the candidate, of the workload's size
};

asked_of& asked() {
  static asked_of all;
  return all;
}

constexpr std::int64_t usual_elements = 4096;

void banked_wave(float* x, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    y[i] = std::sin(x[i]) * 1.5f + 1.0f;
}

void banked_reference(float* x, float* y, std::int64_t n) {
  ++asked().reference;
  banked_wave(x, y, n);
}

void banked_candidate(float* x, float* y, std::int64_t n) {
  ++asked().candidate;
  if (n == usual_elements)
    asked().inputs.emplace(reinterpret_cast<const char*>(x), static_cast<std::size_t>(n) * sizeof *x);
  banked_wave(x, y, n);
}

void banked_wrong(float* x, float* y, std::int64_t n) {
  banked_wave(x, y, n);
  if (n > 0)
    y[n / 2] += 0.25f;
}

void reference_that_counts(float* x, float* y, std::int64_t n) {
  banked_wave(x, y, n);
  if (n > 0)
    y[0] += static_cast<float>(++asked().reference);
}

/// Of the wave as it is.
judge_task usual_task(int bank) {
  judge_task task;
  task.what = ke_test::elementwise();
  task.what.scalars.clear();
  task.what.workloads = {{"wide", {{"N", usual_elements}}, 1.0, false}};
  task.candidate = "candidate";
  task.reference = "reference";
  task.timed = false;
  task.bank = bank;
  return task;
}

evidence judged_with(int bank, void (*candidate)(float*, float*, std::int64_t) = banked_candidate,
                     void (*reference)(float*, float*, std::int64_t) = banked_reference,
                     const driver_seam& seam = fake_device(), bool timed = false, double tolerance = 0) {
  ke_test::device_kernels() = {{"reference", {.body = reference, .late_ns = 20'000}},
                               {"candidate", {.body = candidate, .late_ns = 20'000}}};
  asked() = {};
  auto task = usual_task(bank);
  if (tolerance > 0)
    task.what.tolerances["f32"] = {tolerance, tolerance};
  task.timed = timed;
  task.budget_s = 0.3;
  return judge(task, seam);
}

} // namespace

TEST_CASE("a bank gives back what was kept, to judges at the same time and to later ones, under one key") {
  shared_bank file;
  truth_bank one{file.for_a_judge()}, beside{file.for_a_judge()};
  CHECK(one.key() == beside.key());
  CHECK_FALSE(one.find(bank_name("a")));
  one.keep(bank_name("a"), "first");
  beside.keep(bank_name("b"), std::string(100'000, 'b'));
  beside.keep(bank_name("a"), "second"); // there is one by now
  CHECK(one.find(bank_name("a")) == "first");
  CHECK(beside.find(bank_name("b")) == std::string(100'000, 'b'));
  truth_bank later{file.for_a_judge()};
  CHECK(later.key() == one.key());
  CHECK(later.find(bank_name("a")) == "first");
  CHECK(later.find(bank_name("b"))->size() == 100'000);
  CHECK(later.find(bank_name("c")) == std::nullopt);
}

TEST_CASE("a judge that is killed while it writes to a bank leaves what was there") {
  shared_bank file;
  truth_bank{file.for_a_judge()}.keep(bank_name("a"), "whole");
  auto end = lseek(file.fd, 0, SEEK_END);
  const std::string half(40, '\xff');
  REQUIRE(pwrite(file.fd, half.data(), half.size(), end) == 40);
  truth_bank later{file.for_a_judge()};
  CHECK(later.find(bank_name("a")) == "whole");
  later.keep(bank_name("b"), "after it");
  CHECK(truth_bank{file.for_a_judge()}.find(bank_name("b")) == "after it");
}

TEST_CASE("a bank without memory or of rubbish keeps nothing, and one that is full keeps what it has") {
  truth_bank none, closed{-1};
  none.keep(bank_name("a"), "x");
  CHECK_FALSE(none.find(bank_name("a")));
  CHECK_FALSE(closed.keeps());
  CHECK(none.key() != closed.key());
  shared_bank rubbish;
  const std::string bytes(4096, '\xee');
  REQUIRE(pwrite(rubbish.fd, bytes.data(), bytes.size(), 0) == 4096);
  CHECK_FALSE(truth_bank{rubbish.for_a_judge()}.keeps());
  shared_bank file;
  truth_bank full{file.for_a_judge(), 1u << 20};
  full.keep(bank_name("large"), std::string((1u << 20) - 64, 'x'));
  full.keep(bank_name("one too many"), std::string(64, 'y'));
  CHECK(full.find(bank_name("large")));
  CHECK_FALSE(full.find(bank_name("one too many")));
  truth_bank later{file.for_a_judge(), 2u << 20}; // the room is the file's
  later.keep(bank_name("one too many"), std::string(64, 'y'));
  CHECK_FALSE(later.find(bank_name("one too many")));
}

TEST_CASE("several records under one name come back each by itself, and none of a half of them") {
  shared_bank file;
  truth_bank one{file.for_a_judge()};
  const std::string large(70'000, 'l');
  const std::string_view all[] = {"", large, "last"};
  one.keep_all(bank_name("three"), all);
  truth_bank later{file.for_a_judge()};
  auto found = later.find_all(bank_name("three"));
  REQUIRE(found);
  CHECK(*found == std::vector<std::string>{"", large, "last"});
  CHECK_FALSE(later.find_all(bank_name("none")));
  one.keep(bank_name("rubbish"), "\xff\xff\xff\xff\xff\xff\xff\xff and no more");
  CHECK_FALSE(one.find_all(bank_name("rubbish")));
}

TEST_CASE("large answers leave half of a bank to small ones, and what is asked for once takes none of it") {
  constexpr std::size_t mb = 1u << 20;
  shared_bank file;
  truth_bank bank{file.for_a_judge(), 64 * mb};
  const std::string large(20 * mb, 'l');
  CHECK(bank.has_room(large.size()));
  bank.keep(bank_name("large"), large);
  CHECK_FALSE(bank.has_room(large.size()));
  CHECK(bank.has_room(2 * mb));
  {
    truth_bank::answers_for_once for_once{bank};
    CHECK_FALSE(bank.has_room(16));
    bank.keep(bank_name("finding"), "what they were asked for");
  }
  CHECK(bank.has_room(16));
  CHECK(bank.find(bank_name("finding")) == "what they were asked for");
}

TEST_CASE("Bug: what the admission of a large problem asks filled its bank, and later judgements found "
          "nothing there") {
  shared_bank file;
  {
    truth_bank{file.for_a_judge(), 128u << 20};
  } // too little for all of it
  auto judged = [&] {
    ke_test::device_kernels() = {{"reference", {.body = banked_reference, .late_ns = 20'000}},
                                 {"candidate", {.body = banked_candidate, .late_ns = 20'000}}};
    asked() = {};
    auto task = usual_task(file.for_a_judge());
    task.what.workloads.front().dims["N"] = 1 << 20;
    task.plan = measure_plan::rank;
    return judge(task, fake_device());
  };
  CHECK(judged().failed == 0);
  CHECK(asked().reference > 0);
  CHECK(judged().failed == 0); // the first that knows what the check is worth looks at a smaller size
  auto third = judged();
  CHECK(third.ending == ending::finished);
  CHECK(third.failed == 0);
  CHECK(asked().candidate > 0);
  CHECK(asked().reference == 0);
}

TEST_CASE("a later judgement with the same bank asks the reference nothing that an earlier one asked") {
  shared_bank file;
  auto first = judged_with(file.for_a_judge());
  INFO(first.reason + first.unfit);
  REQUIRE(first.ending == ending::finished);
  CHECK(first.failed == 0);
  const auto before = asked();
  CHECK(before.reference > 100);
  auto second = judged_with(file.for_a_judge());
  CHECK(second.ending == ending::finished);
  CHECK(second.failed == 0);
  CHECK(second.cases > first.cases / 2); // some are asked as long as there is time
  CHECK(asked().reference == 0);
  // The same inputs, however the calls lie in memory.
  CHECK(asked().inputs == before.inputs);
  CHECK(second.provenance.at("secret_shapes") == first.provenance.at("secret_shapes"));
}

TEST_CASE("without a bank, or with another one, a judgement has inputs of its own") {
  shared_bank one, other;
  judged_with(one.for_a_judge());
  auto seen = asked().inputs;
  judged_with(other.for_a_judge());
  for (const auto& input : asked().inputs)
    seen.insert(input);
  judged_with(-1);
  CHECK(asked().reference > 100);
  std::size_t new_ones = 0;
  for (const auto& input : asked().inputs)
    new_ones += seen.contains(input) ? 0 : 1;
  CHECK(new_ones > asked().inputs.size() / 2); // edges of constants are alike in all
}

TEST_CASE("a wrong kernel is wrong by a bank's answers as by the reference's own, and timed calls are "
          "checked by them") {
  shared_bank file;
  judged_with(file.for_a_judge());
  auto found = judged_with(file.for_a_judge(), banked_wrong);
  CHECK(asked().reference == 0);
  CHECK(found.failed > 0);
  REQUIRE(found.first_failure);
  CHECK(found.first_failure->tensor == "y");
  auto timed = judged_with(file.for_a_judge(), banked_candidate, banked_reference, fake_device(), true);
  INFO(timed.reason);
  CHECK(timed.failed == 0);
  CHECK(timed.timed_calls > 0);
  CHECK(timed.timed_calls == timed.timed_calls_checked);
}

TEST_CASE(
    "a reference that keeps state is unfit in the first judgement and in later ones, in the same words") {
  shared_bank file;
  auto first = judged_with(file.for_a_judge(), banked_candidate, reference_that_counts);
  CHECK(first.unfit.find("it keeps state between calls") != std::string::npos);
  auto second = judged_with(file.for_a_judge(), banked_candidate, reference_that_counts);
  CHECK(second.unfit == first.unfit);
  CHECK(asked().reference == 0);
}

TEST_CASE("a check that accepts wrong answers is unfit in later judgements, in the same words, and nothing "
          "is tried again") {
  shared_bank file;
  const double wide = 100;
  auto first =
      judged_with(file.for_a_judge(), banked_candidate, banked_reference, fake_device(), false, wide);
  CHECK(first.unfit.find("the problem's own check accepts") != std::string::npos);
  auto second =
      judged_with(file.for_a_judge(), banked_candidate, banked_reference, fake_device(), false, wide);
  CHECK(second.unfit == first.unfit);
  CHECK(asked().reference == 0);
}

TEST_CASE("what is wrong with a check is found after a candidate that ended before all was tried") {
  shared_bank file;
  const double wide = 0.2; // less than what the wrong one is off by
  CHECK(judged_with(file.for_a_judge(), banked_wrong, banked_reference, fake_device(), false, wide).failed >
        0);
  auto unfit = judged_with(-1, banked_candidate, banked_reference, fake_device(), false, wide).unfit;
  CHECK(unfit != "");
  CHECK(
      judged_with(file.for_a_judge(), banked_candidate, banked_reference, fake_device(), false, wide).unfit ==
      unfit);
}

TEST_CASE("a reference that can't be started when a bank lacks an answer is the machine's fault") {
  shared_bank file;
  auto wrong = judged_with(file.for_a_judge(), banked_wrong); // ends early: the bank lacks most
  CHECK(wrong.failed > 0);
  auto broken = fake_device();
  broken.open = [](driver_state& s, const driver_start& how) -> status {
    if (how.object == "reference")
      return failure{failure_kind::device, "no process for it", true};
    return ke_test::device::open(s, how);
  };
  shared_bank loaded_only; // not even a workload's own inputs have an answer
  truth_bank{loaded_only.for_a_judge()}.keep(
      content_name(std::vector<std::string_view>{"loaded", "reference"}), "reference");
  for (const auto* bank : {&file, &loaded_only}) {
    auto found = judged_with(bank->for_a_judge(), banked_candidate, banked_reference, broken);
    CHECK(found.ending == ending::harness_error);
    CHECK(found.reason == "no process for it");
    CHECK(found.unfit.empty());
  }
}

TEST_CASE("a problem's bank serves a hundred judgements, and those used last are kept") {
  truth_banks all;
  auto first = all.of("a");
  REQUIRE(first);
  for (std::uint32_t i = 1; i < truth_banks::most_judgements; ++i)
    CHECK(all.of("a") == first);
  auto next = all.of("a");
  CHECK(next != first);
  CHECK(next->judgements == 1);
  for (const auto* other : {"b", "c"})
    CHECK(all.of(other) != next);
  CHECK(all.of("a") == next);
  auto kept = all.of("b");
  all.of("d"); // the fourth: "c" was used longest ago
  CHECK(all.of("a") == next);
  CHECK(all.of("b") == kept);
}
