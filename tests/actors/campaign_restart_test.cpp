#include "actors/messages/addresses.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/settings.hpp"
#include "tests/actors/search_fixture.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace ke;
using namespace ke::test;

namespace {

/// All that a person sees of a tree: who came from whom, how it ended, what it scored.
std::string shape_of(const search_tree& core) {
  std::string text;
  for (std::uint32_t n = 1; n < core.tree().size(); ++n)
    text += std::to_string(core.tree()[n].parent) + " " + std::string{to_text(core.tree()[n].state)} + " " +
            std::to_string(core.tree()[n].score) + "\n";
  return text;
}

struct recorded_run {
  campaign_settings settings;
  std::unique_ptr<memory_store> store;
  std::vector<image_file> images;
  std::string hash, shape;
  std::size_t asked = 0;

  explicit recorded_run(campaign_settings s, std::uint64_t image_every = 0) : settings{std::move(s)} {
    search_fixture run;
    run.image_every = image_every;
    run.launch(settings);
    if (!run.drive())
      throw std::runtime_error{"the undisturbed run did not end"};
    hash = run.tree_hash_of();
    shape = shape_of(run.stored()->fold.trees().at(0));
    asked = run.models.asked.size();
    images = std::move(run.images);
    store = std::move(run.store);
    run.store = store->cut(0);
  }
};

} // namespace

TEST_CASE("a campaign killed after any commit ends, with one node at a time, in the very tree of the "
          "undisturbed run") {
  auto s = search_fixture::settings(10, 1);
  s.models[0].provider = provider_kind::playbook; // costs nothing, so a call in doubt is the same call again
  recorded_run run{s};
  REQUIRE(run.store->batches.size() > 30);
  for (std::size_t n = 1; n < run.store->batches.size(); ++n) {
    search_fixture again;
    again.store = run.store->cut(n);
    again.start(1, s);
    INFO("killed after batch " << n << " of " << run.store->batches.size());
    REQUIRE(again.drive());
    CHECK(again.tree_hash_of() == run.hash);
    CHECK(again.crashes.empty());
  }
}

TEST_CASE(
    "whatever image the kill left, an older one or one of records that were lost, the tree is the same") {
  auto s = search_fixture::settings(10, 1);
  s.models[0].provider = provider_kind::playbook;
  recorded_run run{s, 8};
  REQUIRE(run.images.size() > 3);
  std::size_t taken = 0, refused = 0;
  for (std::size_t n = 1; n < run.store->batches.size(); n += 3)
    for (const auto& image : run.images) {
      search_fixture again;
      again.store = run.store->cut(n);
      again.images = {image};
      auto fits = image.header.records <= again.store->journal_of(1).size();
      again.start(1, s);
      INFO("killed after batch " << n << " of " << run.store->batches.size() << ", image of "
                                 << image.header.records << " records");
      CHECK(again.starts_from_images == fits);
      (fits ? taken : refused) += 1;
      REQUIRE(again.drive());
      CHECK(again.tree_hash_of() == run.hash);
      CHECK(again.crashes.empty());
    }
  CHECK(taken > 0);
  CHECK(refused > 0);
}

TEST_CASE_METHOD(search_fixture,
                 "a campaign that goes on from its image ends in the state that its journal tells") {
  image_every = 8;
  auto s = settings(24, 4);
  launch(s);
  for (int i = 0; i < 6; ++i) {
    answer();
    if (!waiting.empty())
      judge();
    pass(500ms);
  }
  REQUIRE(images.size() > 1);
  kill();
  start(1, s);
  CHECK(starts_from_images == 1);
  REQUIRE(drive());
  auto folded = stored(); // from the first record
  auto quick =
      fold_of_image(images.back(), "memory", 1, store->journal_of(1).at(images.back().header.records - 1));
  REQUIRE(quick.records == store->journal_of(1).size()); // the end of a session keeps one, too
  CHECK(quick.fold.hash() == folded->fold.hash());
}

TEST_CASE("an image of another store, campaign, program or journal is not used") {
  recorded_run run{search_fixture::settings(4, 1), 8};
  const auto& good = run.images.back();
  auto last = run.store->journal_of(1).at(good.header.records - 1);
  CHECK(fold_of_image(good, "memory", 1, last).records == good.header.records);
  CHECK(fold_of_image(good, "another", 1, last).records == 0);
  CHECK(fold_of_image(good, "memory", 2, last).records == 0);
  CHECK(fold_of_image(good, "memory", 1, std::nullopt).records == 0);
  auto other = last;
  other.wall_ms += 1;
  CHECK(fold_of_image(good, "memory", 1, other).records == 0);
  auto image = good;
  image.header.program = "0.0.9";
  CHECK(fold_of_image(image, "memory", 1, last).records == 0);
  image = good;
  image.body.resize(image.body.size() / 2);
  CHECK(fold_of_image(image, "memory", 1, last).records == 0);
}

TEST_CASE("a paid call in doubt is charged at an estimate and asked again: the tree has the same shape, "
          "the budget holds") {
  auto s = search_fixture::settings(8, 1);
  s.budget.tokens = 60'000;
  recorded_run run{s};
  for (std::size_t n = 1; n < run.store->batches.size(); ++n) {
    search_fixture again;
    again.store = run.store->cut(n);
    auto in_doubt = again.stored();
    again.start(1, s);
    INFO("killed after batch " << n << " of " << run.store->batches.size());
    REQUIRE(again.drive());
    auto end = again.stored();
    CHECK(shape_of(end->fold.trees().at(0)) == run.shape);
    CHECK(end->fold.books().money().reserved().tokens == 0);
    CHECK(end->fold.books().money().spent().tokens <= 60'000);
    std::uint64_t unheard = 0; // an answer that was stored is used, not paid for again
    for (const auto& [tree, call] : in_doubt->fold.open_calls())
      unheard += !in_doubt->replies.contains({1, tree, call.node});
    CHECK(end->fold.books().unheard() == unheard);
    CHECK((end->fold.books().estimated().output_tokens > 0) == !in_doubt->fold.open_calls().empty());
  }
}

TEST_CASE_METHOD(
    search_fixture,
    "an answer that was stored but not yet folded at the kill is taken up and not asked for again") {
  auto s = settings(2, 1);
  launch(s);
  auto call = models.open.front().request.call;
  raw_answer raw;
  raw.call = call;
  raw.status = 200;
  raw.body = "Plan.\n```cpp\nextern \"C\" void kernel() {}\n```\n";
  calls->record(*store, raw);
  kill();
  start(1, s);
  REQUIRE(waiting.size() == 1);
  CHECK(models.asked == std::vector<std::string>{call});
  CHECK(*waiting.front().source == "extern \"C\" void kernel() {}\n");
  REQUIRE(drive());
  CHECK(models.asked.size() == 2);
}

TEST_CASE_METHOD(
    search_fixture,
    "a spooled request goes on under its own name after a restart, so that a person's answer still fits") {
  auto s = settings(2, 2);
  s.models[0].provider = provider_kind::spool;
  launch(s);
  auto before = models.asked;
  REQUIRE(before.size() == 2);
  kill();
  start(1, s);
  CHECK(models.asked == std::vector<std::string>{before[0], before[1], before[0], before[1]});
  CHECK(store->count(1, journal_kind::asked) == 2); // the same intents
  REQUIRE(drive());
  CHECK(acknowledged == 2);
}

TEST_CASE_METHOD(search_fixture,
                 "a campaign's actor that crashes is started again from the store and loses nothing") {
  launch(settings(6, 2));
  answer();
  store->fails_at_write = 2; // the answer, then what the campaign writes of it
  answer();
  REQUIRE(crashes.size() == 1);
  pass(1s);
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.candidates");
  CHECK(store->count(1, journal_kind::session) == 2);
  CHECK(nodes_in(node_state::correct) + nodes_in(node_state::incorrect) == 6);
}

namespace {

std::size_t unknown_replies(const memory_store& store) {
  std::size_t n = 0;
  for (const auto& r : store.journal_of(1))
    if (r.kind == journal_kind::replied)
      if (auto body = unpack<journal_replied>(r.body))
        n += body->unknown;
  return n;
}

std::set<std::string> distinct(const std::vector<std::string>& calls) {
  return {calls.begin(), calls.end()};
}

} // namespace

TEST_CASE_METHOD(search_fixture, "a campaign's actor that crashes waits for the paid calls that are out, and "
                                 "pays for none twice") {
  launch(settings(6, 2));
  REQUIRE(models.open.size() == 2);
  crash(addresses::campaign(1));
  pass(1s);
  REQUIRE(store->count(1, journal_kind::session) == 2);
  CHECK(models.asked.size() == 2);
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.candidates");
  CHECK(distinct(models.asked).size() == models.asked.size());
  CHECK(models.asked.size() == 6);
  CHECK(unknown_replies(*store) == 0);
  CHECK(stored()->fold.books().money().spent().tokens == 6 * 30);
}

TEST_CASE_METHOD(search_fixture,
                 "an answer that comes while a campaign's actor is down is used and not asked "
                 "for again") {
  launch(settings(2, 1));
  auto call = models.asked;
  crash(addresses::campaign(1));
  answer();
  pass(1s);
  REQUIRE(waiting.size() == 1);
  CHECK(*waiting.front().source == source(1));
  CHECK(models.asked == call);
  REQUIRE(drive());
  CHECK(models.asked.size() == 2);
  CHECK(unknown_replies(*store) == 0);
}

TEST_CASE_METHOD(search_fixture,
                 "an answer that comes while a campaign is read from the store is kept for it") {
  std::function<void(result<std::shared_ptr<stored_campaign>>)> loaded;
  launch(settings(2, 1));
  load = [&](auto done) { loaded = std::move(done); };
  crash(addresses::campaign(1));
  pass(1s);
  REQUIRE(loaded);
  auto before = stored(); // read before the answer came
  answer();
  loaded(before);
  settle();
  REQUIRE(waiting.size() == 1); // once, though it is both kept for the node and told by the book
  CHECK(unknown_replies(*store) == 0);
  REQUIRE(drive());
  CHECK(models.asked.size() == 2);
}

TEST_CASE_METHOD(search_fixture, "calls that had not left when a campaign's actor crashed leave once") {
  auto s = settings(6, 4);
  s.models[0].max_parallel = 1;
  launch(s);
  REQUIRE(models.open.size() == 1);
  REQUIRE(store->count(1, journal_kind::asked) == 4);
  crash(addresses::campaign(1));
  pass(1s);
  REQUIRE(drive());
  CHECK(distinct(models.asked).size() == models.asked.size());
  CHECK(models.asked.size() == 6);
  CHECK(unknown_replies(*store) == 0);
}

TEST_CASE_METHOD(search_fixture,
                 "a synthesizer that crashes costs no paid call: what is out comes back, what "
                 "had not left is asked once") {
  auto s = settings(6, 4);
  s.models[0].max_parallel = 2;
  launch(s);
  REQUIRE(models.open.size() == 2);
  crash(addresses::synthesizer);
  CHECK(models.cancelled.empty());
  answer(); // while nobody lives who could hear it
  pass(1s);
  REQUIRE(crashes.size() == 1);
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.candidates");
  CHECK(distinct(models.asked).size() == models.asked.size());
  CHECK(models.asked.size() == 6);
  CHECK(unknown_replies(*store) == 0);
  auto kept = stored();
  const auto& books = kept->fold.books(); // the one read from the store is estimated
  auto guessed = books.estimated().input_tokens + books.estimated().output_tokens;
  CHECK(books.money().spent().tokens - guessed == 5 * 30);
}

TEST_CASE_METHOD(search_fixture,
                 "a search tree that crashes alone is woken as it was: no call is lost or made "
                 "twice") {
  launch(settings(6, 2));
  answer();
  REQUIRE(waiting.size() == 1);
  crash(addresses::node_supervisor(1, 0));
  pass(1s);
  REQUIRE(drive());
  CHECK(outcomes[1].reason == "budget.candidates");
  CHECK(models.asked.size() == 6);
  CHECK(store->count(1, journal_kind::session) == 1);
}

TEST_CASE_METHOD(search_fixture,
                 "a verdict that comes while a campaign is read from the store is kept for it") {
  std::function<void(result<std::shared_ptr<stored_campaign>>)> loaded;
  launch(settings(2, 1));
  answer();
  load = [&](auto done) { loaded = std::move(done); };
  crash(addresses::campaign(1));
  pass(1s);
  REQUIRE(loaded);
  judge();
  CHECK(acknowledged == 0);
  loaded(stored());
  settle();
  CHECK(acknowledged == 1);
  CHECK(stored()->fold.books().money().spent().device_s() == Approx(1.5));
}
