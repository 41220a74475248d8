#include "actors/coordinator/answer_round.hpp"
#include "actors/coordinator/coordinator.hpp"
#include "actors/messages/addresses.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

namespace ke {
namespace {

constexpr std::chrono::seconds status_patience{2};
constexpr std::chrono::seconds steer_patience{20};

/// What the parts of a status have told.
struct told_status {
  std::string workers = "[]";
  std::map<std::uint32_t, std::string> campaigns; ///< empty until it answers
};

/// `trouble`: of the store; every campaign waits for it.
std::string status_text(const told_status& told, const failure& trouble) {
  using json = nlohmann::ordered_json;
  auto workers = json::parse(told.workers, nullptr, false);
  auto campaigns = json::array(), unanswered = json::array();
  for (const auto& [id, text] : told.campaigns) {
    auto j = json::parse(text, nullptr, false);
    if (!j.is_object()) { // it has ended, is being read, or did not answer in time
      unanswered.push_back(id);
      continue;
    }
    if (trouble.kind != failure_kind::none) {
      j["state"] = "paused";
      j["trouble"] = trouble.text;
    }
    j["workers"] = workers.is_array() ? workers : json::array();
    campaigns.push_back(std::move(j));
  }
  return json_line(json{{"live", true}, {"campaigns", campaigns}, {"unanswered", unanswered}});
}

} // namespace

void coordinator::status_json(std::function<void(std::string)> done) {
  auto all = std::make_shared<told_status>();
  {
    std::lock_guard lock{mutex_};
    for (const auto& [id, c] : campaigns_)
      all->campaigns[id];
  }
  round_options o;
  o.parts = all->campaigns.size() + 1;
  o.patience = status_patience;
  o.done = [this, all, done = std::move(done)](bool) {
    failure trouble;
    {
      std::lock_guard lock{mutex_};
      trouble = trouble_;
    }
    done(status_text(*all, trouble));
  };
  auto ids = all->campaigns; // the round's thread fills `all` from now on
  auto round = system_->spawn(answer_round, names_, address<>{addresses::control}, std::move(o));
  auto to = caf::actor_cast<weak_actor>(round);
  if (!names_->send(addresses::fleet, workers_request{[to, all](std::string text) {
                      part_of(to, [all, text = std::move(text)] { all->workers = text; });
                    }}))
    part_of(to, [] {});
  for (const auto& [id, nothing] : ids)
    if (!names_->send(addresses::campaign(id), status_request{[to, all, id = id](std::string text) {
                        part_of(to, [all, id, text = std::move(text)] { all->campaigns[id] = text; });
                      }}))
      part_of(to, [] {});
}

void coordinator::steer_campaign(std::uint32_t id, std::string act, std::string key, std::string value,
                                 std::function<void(status)> done) {
  auto trouble = [this] {
    std::lock_guard lock{mutex_};
    return trouble_;
  };
  auto said = std::make_shared<std::optional<status>>();
  round_options o;
  o.parts = 1;
  o.patience = steer_patience;
  o.give_up = [trouble] { return trouble().kind != failure_kind::none; };
  o.done = [said, trouble, act, done = std::move(done)](bool all) {
    if (all)
      return done(**said);
    if (auto why = trouble(); why.kind != failure_kind::none)
      return done(failure{why.kind,
                          why.text + ". The campaign has been told to " + act +
                              " and does; that is recorded as soon as the store takes it",
                          why.retryable});
    done(failure{failure_kind::timeout, "the campaign did not answer within 20 s"});
  };
  auto round = system_->spawn(answer_round, names_, address<>{addresses::control}, std::move(o));
  auto to = caf::actor_cast<weak_actor>(round);
  auto take = [to, said](status s) { part_of(to, [said, s = std::move(s)] { *said = s; }); };
  if (!names_->send(addresses::campaign(id), steer{std::move(act), std::move(key), std::move(value), take}))
    take(failure{failure_kind::invalid, "the campaign is not running"});
}

} // namespace ke
