#include "actors/coordinator/answer_round.hpp"
#include "actors/messages/addresses.hpp"
#include "tests/actors/virtual_time.hpp"

#include <catch2/catch.hpp>

#include <optional>

using namespace ke;
using namespace std::chrono_literals;

namespace {

struct rounds : test::virtual_time {
  std::shared_ptr<directory> names = std::make_shared<directory>();
  caf::actor owner = system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; });
  std::vector<bool> ended; ///< what `done` heard
  bool give_up = false;
  weak_actor round;

  rounds() { names->set(addresses::control, owner); }
  ~rounds() {
    caf::anon_send_exit(owner, caf::exit_reason::user_shutdown);
    settle();
  }
  void begin(std::size_t parts) {
    round_options o;
    o.parts = parts;
    o.patience = 2s;
    o.give_up = [this] { return give_up; };
    o.done = [this](bool all) { ended.push_back(all); };
    round = caf::actor_cast<weak_actor>(system.spawn(answer_round, names, address<>{addresses::control}, o));
    settle();
  }
  bool alive() const { return caf::actor_cast<caf::actor>(round) != nullptr; }
};

} // namespace

TEST_CASE_METHOD(rounds, "a round ends when every part has come, whoever is slow ends it at its deadline") {
  std::string taken;
  begin(2);
  part_of(round, [&] { taken += 'a'; });
  settle();
  CHECK(ended.empty());
  part_of(round, [&] { taken += 'b'; });
  settle();
  CHECK(ended == std::vector{true});
  CHECK(taken == "ab");

  begin(2);
  part_of(round, [&] { taken += 'c'; });
  pass(1900ms);
  CHECK(ended.size() == 1);
  pass(200ms);
  CHECK(ended == std::vector{true, false});
  part_of(round, [&] { taken += 'd'; }); // too late
  settle();
  CHECK(taken == "abc");

  begin(0);
  CHECK(ended == std::vector{true, false, true});
}

TEST_CASE_METHOD(rounds, "a round is given up within half a second once there is a reason, and not at once") {
  give_up = true;
  begin(1);
  CHECK(ended.empty());
  pass(500ms);
  CHECK(ended == std::vector{false});
}

TEST_CASE_METHOD(rounds, "a round ends with its owner and says nothing more") {
  begin(1);
  caf::anon_send_exit(owner, caf::exit_reason::user_shutdown);
  settle();
  pass(10s);
  CHECK(ended.empty());
}

TEST_CASE_METHOD(rounds, "a round that has ended leaves its owner alive") {
  begin(0);
  CHECK(ended == std::vector{true});
  CHECK(static_cast<bool>(names->find(addresses::control)));
}
