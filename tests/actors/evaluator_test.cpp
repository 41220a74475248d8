#include "actors/campaign/verdict_key.hpp"
#include "tests/actors/evaluator_fixture.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace ke;
using namespace ke::test;

TEST_CASE_METHOD(evaluator_fixture,
                 "a candidate becomes a job, and its evidence a verdict with the rows to commit") {
  tell(request(1));
  REQUIRE(submitted.size() == 1);
  CHECK(submitted[0]->device == "cpu:*");
  CHECK(submitted[0]->inline_blobs.at(submitted[0]->source_digest) == "void kernel() {}");
  tell(job_stage{submitted[0]->id, node_state::measuring});
  REQUIRE(stages.size() == 1);
  CHECK(stages[0].node == node_key{1, 0, 1});
  done(submitted[0]->id, ending::finished);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].found->state == verdict_state::correct);
  CHECK_FALSE(verdicts[0].duplicate);
  REQUIRE(verdicts[0].batch);
  CHECK(verdicts[0].batch->puts.size() == 2);
  CHECK(acknowledged == 0); // the campaign acknowledges, after its commit
  verdicts[0].committed();
  CHECK(acknowledged == 1);
}

TEST_CASE_METHOD(evaluator_fixture, "an evaluation that fails for the machine's sake is tried three times, "
                                    "then its verdict is harness_error") {
  auto machine = GENERATE(true, false);
  auto fail = [&] {
    machine ? done(submitted[0]->id, ending::finished, {failure_kind::device, "the device fell over", true})
            : done(submitted[0]->id, ending::harness_error);
  };
  tell(request(1));
  fail();
  CHECK(submitted.size() == 2);
  CHECK(acknowledged == 1);
  fail();
  CHECK(submitted.size() == 3);
  CHECK(verdicts.empty());
  fail();
  CHECK(submitted.size() == 3);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].found->state == verdict_state::harness_error);
  CHECK(verdicts[0].found->reason == (machine ? "the device fell over" : "as scripted"));
  CHECK(cancelled == std::vector<std::uint64_t>{submitted[0]->id}); // the fleet keeps nothing of it
}

TEST_CASE_METHOD(evaluator_fixture, "nodes with the same candidate at the same time cost one evaluation") {
  tell(request(1));
  tell(request(2, "void  kernel() {} // the same but for blank space"));
  tell(request(3, "void kernel() { return; }"));
  REQUIRE(submitted.size() == 2);
  done(submitted[0]->id, ending::finished);
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[0].node.node == 1);
  CHECK_FALSE(verdicts[0].duplicate);
  CHECK(verdicts[1].node.node == 2);
  CHECK(verdicts[1].duplicate);
  CHECK(verdicts[1].device_s == 0);
  CHECK(verdicts[1].verdict_digest == verdicts[0].verdict_digest);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "a verdict that says nothing about the candidate is passed on to nobody else") {
  tell(request(1));
  tell(request(2));
  REQUIRE(submitted.size() == 1);
  done(submitted[0]->id, ending::timeout);
  CHECK(verdicts.size() == 1);
  REQUIRE(submitted.size() == 2); // the second is judged for itself
  CHECK(submitted[1]->node.node == 2);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "what is measured again does not change what an earlier node was judged by") {
  tell(request(1));
  done(submitted.at(0)->id, ending::timeout);
  REQUIRE(verdicts.size() == 1);
  store.write(std::move(*verdicts[0].batch));
  tell(request(2));
  REQUIRE(submitted.size() == 2);
  done(submitted[1]->id, ending::finished);
  REQUIRE(verdicts.size() == 2);
  CHECK_FALSE(verdicts[1].duplicate);
  store.write(std::move(*verdicts[1].batch));
  auto state_of = [&](const judged& j) {
    std::optional<verdict_state> state;
    store.read(table::verdicts, j.verdict_digest,
               [&](result<std::string> bytes) { state = unpack<verdict>(*bytes)->state; });
    return state;
  };
  CHECK(state_of(verdicts[0]) == verdict_state::timeout);
  CHECK(state_of(verdicts[1]) == verdict_state::correct);
  tell(request(3)); // takes over the good one
  REQUIRE(verdicts.size() == 3);
  CHECK(verdicts[2].duplicate);
  CHECK(verdicts[2].verdict_digest == verdicts[1].verdict_digest);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "a stored verdict is taken unless it was noisy or the machine's failure") {
  auto r = request(1);
  auto key = verdict_key(r.problem_digest, r.normalised_digest, device(), r.plan, r.timed);
  verdict old;
  old.state = GENERATE(verdict_state::correct, verdict_state::incorrect, verdict_state::noisy,
                       verdict_state::harness_error);
  store_batch batch;
  batch.put(table::verdicts, key, pack(old));
  store.write(std::move(batch));
  tell(r);
  auto reused = old.state == verdict_state::correct || old.state == verdict_state::incorrect;
  CHECK(verdicts.size() == (reused ? 1 : 0));
  CHECK(submitted.size() == (reused ? 0 : 1));
  if (reused)
    CHECK(verdicts[0].duplicate);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "a candidate that its worker knew by its object code is a duplicate of that node") {
  tell(request(5));
  REQUIRE(submitted.size() == 1);
  auto r = std::make_shared<job_result>();
  r->id = submitted[0]->id;
  r->found.cases = 3;
  r->found.timed = false;
  r->found.build_s = 2;
  r->found.provenance[same_object_as] = "1/0/3";
  tell(job_done{r->id, from(r), "w", [this] { ++acknowledged; }});
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].duplicate);
  CHECK(verdicts[0].duplicate_of == 3);
  CHECK(node_of_text("1/0/3x") == std::nullopt);
  CHECK(node_of_text("1/0") == std::nullopt);
  tell(request(6, "void kernel() { int x; }"));
  auto other = std::make_shared<job_result>(*r);
  other->id = submitted.back()->id;
  other->found.provenance[same_object_as] = "2/0/3"; // another campaign's: known, but nothing in this tree
  tell(job_done{other->id, from(other), "w", [] {}});
  REQUIRE(verdicts.size() == 2);
  CHECK(verdicts[1].duplicate);
  CHECK(verdicts[1].duplicate_of == no_node);
  tell(request(7, "void kernel() { int y; }"));
  auto itself = std::make_shared<job_result>(*r);
  itself->id = submitted.back()->id;
  itself->found.provenance[same_object_as] = "1/0/7"; // granted once more, its first result was lost
  tell(job_done{itself->id, from(itself), "w", [] {}});
  REQUIRE(verdicts.size() == 3);
  CHECK_FALSE(verdicts[2].duplicate);
}

TEST_CASE_METHOD(evaluator_fixture, "evidence of another candidate or problem is no verdict on this one") {
  const char* what = GENERATE("candidate", "problem", "nothing");
  tell(request(1));
  for (int tried = 1; tried <= 3; ++tried) {
    REQUIRE(submitted.size() == static_cast<std::size_t>(tried));
    auto r = std::make_shared<job_result>();
    r->id = submitted[0]->id;
    r->found.timed = false;
    r->found.cases = 3;
    from(r);
    if (std::string{what} == "nothing")
      r->found.provenance.clear();
    else
      r->found.provenance[what] = "another";
    tell(job_done{r->id, r, "w", [this] { ++acknowledged; }});
  }
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].found->state == verdict_state::harness_error);
}

TEST_CASE_METHOD(evaluator_fixture, "evidence that tells of an impossible time is not taken") {
  auto seconds = GENERATE(std::numeric_limits<double>::quiet_NaN(), 1e300, -1.0);
  tell(request(1));
  auto r = std::make_shared<job_result>();
  r->id = submitted[0]->id;
  r->found.timed = false;
  r->found.cases = 3;
  r->found.build_s = seconds;
  tell(job_done{r->id, from(r), "w", [] {}});
  CHECK(verdicts.empty());
  CHECK(submitted.size() == 2);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "what tools printed is stored with the evidence, but not beyond the bounds") {
  auto stored_of = [&](std::size_t bytes) {
    tell(request(static_cast<std::uint32_t>(bytes),
                 "void kernel() { int x = " + std::to_string(bytes) + "; }"));
    auto r = std::make_shared<job_result>();
    r->id = submitted.back()->id;
    r->found.timed = false;
    r->found.cases = 3;
    r->found.artifacts["kernel.asm"] = std::string(bytes, 'x');
    tell(job_done{r->id, from(r), "w", [] {}});
    REQUIRE(verdicts.back().batch);
    auto read = unpack<evidence>(verdicts.back().batch->puts.front().value);
    REQUIRE(read);
    CHECK(read->cases == 3);
    return read->artifacts.size();
  };
  CHECK(stored_of(100) == 1);
  CHECK(stored_of(300u << 10) == 0);
}

TEST_CASE("a job's id tells the store, the problem and the candidate apart") {
  auto r = evaluator_fixture::request(1);
  auto id = job_id("s", r, 0);
  CHECK(job_id("s", r, 0) == id);
  CHECK(job_id("t", r, 0) != id);
  CHECK(job_id("s", r, 1) != id);
  CHECK(job_id("s", evaluator_fixture::request(2), 0) != id);
  CHECK(job_id("s", evaluator_fixture::request(1, "int x;"), 0) != id);
  auto claim = r;
  claim.plan = measure_plan::claim;
  CHECK(job_id("s", claim, 0) != id);
  r.problem_digest = "q";
  CHECK(job_id("s", r, 0) != id);
}

TEST_CASE("what changes the verdict is part of its key") {
  auto device = evaluator_fixture::device();
  auto key = [&] { return verdict_key("p", "c", device, measure_plan::rank, true); };
  auto first = key();
  CHECK(key() == first);
  device.facts["flags"] = "-O2";
  CHECK(key() != first);
  device = evaluator_fixture::device();
  device.facts["hostname"] = "elsewhere";
  CHECK(key() == first);
  CHECK(verdict_key("p", "c", device, measure_plan::rank, false) != first);
  CHECK(verdict_key("p", "d", device, measure_plan::rank, true) != first);
}

TEST_CASE_METHOD(evaluator_fixture, "a candidate that cost three workers fails its node; one that waited for "
                                    "its verdict is judged for itself") {
  tell(request(1));
  tell(request(2));
  tell(job_poisoned{submitted[0]->id, "three workers were lost"});
  REQUIRE(failures.size() == 1);
  CHECK(failures[0].node.node == 1);
  CHECK(failures[0].state == node_state::poisoned);
  CHECK(failures[0].why == "three workers were lost");
  CHECK(submitted.size() == 2);
}

TEST_CASE_METHOD(evaluator_fixture,
                 "a cancelled evaluation is taken from the fleet, and one that waited for it begins") {
  tell(request(1));
  tell(request(2));
  auto first = submitted[0]->id;
  tell(cancel_evaluation{{1, 0, 1}});
  CHECK(cancelled == std::vector<std::uint64_t>{first});
  REQUIRE(submitted.size() == 2);
  done(first, ending::finished); // too late: acknowledged, nobody hears of it
  CHECK(acknowledged == 1);
  CHECK(verdicts.empty());
  done(submitted[1]->id, ending::finished);
  REQUIRE(verdicts.size() == 1);
  CHECK(verdicts[0].node.node == 2);
}
