#include "runtime/search/campaign/campaign_state.hpp"

#include "runtime/core/image_codec.hpp"
#include "runtime/core/journal_configured.hpp"

#include <algorithm>

namespace ke {

void campaign_state::configured(const journal_configured& r) {
  if (r.settings.budget.fruitless != settings_.budget.fruitless) {
    fruitless_.clear();
    set_aside_.clear();
  }
  settings_ = r.settings;
  problem_digest_ = r.problem_digest;
  backends_ = r.trees;
  version_ = r.version;
  money_.caps(settings_.budget);
}

void campaign_state::session(const journal_session& r) {
  epoch_ = r.epoch;
  reason_.clear();
  forgive();
}

amounts campaign_state::claim(const reservation& r, std::uint64_t candidates) {
  return {candidates, r.tokens, amounts::nano(r.usd), 0, 1};
}

void campaign_state::stepped(std::uint32_t written, std::uint32_t tuned) {
  money_.force({.candidates = written});
  tuning_ += tuned;
  in_flight_ += written + tuned;
}

std::uint64_t campaign_state::tune_left() const {
  auto cap = static_cast<std::uint64_t>(std::max<std::int64_t>(settings_.budget.tune_candidates, 0));
  auto used = tuned_ + tuning_;
  return used < cap ? cap - used : 0;
}

void campaign_state::asked(const reservation& r) {
  money_.force(claim(r));
}

/// The failed try is spent. The call keeps its reservation for the next try. A `last` one is counted when its
/// call ends, as every call's last try is.
void campaign_state::failed_request(const journal_failed_request& r, const std::string& model) {
  ++failures_[std::string{to_text(r.kind)}];
  if (r.attempt <= agent_attempts)
    bore(model, r.kind, r.usage);
  amounts spent{.tokens = r.usage.input_tokens + r.usage.output_tokens,
                .nano_usd = amounts::nano(r.usage.usd)};
  spent.requests = !r.last;
  money_.settle({}, spent);
  spend_ += r.usage;
  spend_.usd = money_.spent().usd();
  estimated_ += r.estimated;
  if (!model.empty())
    scales_[model].learn(r.usage, r.estimated, r.meter);
  if (r.attempt > agent_attempts)
    agent_spend_ += r.usage;
}

void campaign_state::replied(const journal_replied& r, const std::optional<open_call>& call) {
  if (r.kind != failure_kind::none)
    ++failures_[std::string{to_text(r.kind)}];
  if (call)
    bore(call->model, r.kind, r.usage);
  settle_call(call ? &call->reserved : nullptr, call ? call->model : std::string{},
              {r.usage, r.estimated, r.meter, r.unknown, r.unsent});
}

void campaign_state::settle_call(const reservation* reserved, const std::string& model, const settlement& s) {
  auto held = reserved ? claim(*reserved) : amounts{};
  amounts spent{.tokens = s.usage.input_tokens + s.usage.output_tokens,
                .nano_usd = amounts::nano(s.usage.usd)};
  if (s.unknown && s.estimated == token_usage{})
    spent = held; // of an earlier version: it may have been answered and billed
  spent.requests = reserved && !s.unsent;
  money_.settle(held, spent);
  spend_ += s.usage;
  spend_.usd = money_.spent().usd();
  estimated_ += s.estimated;
  unheard_ += s.unknown;
  if (!model.empty())
    scales_[model].learn(s.usage, s.estimated, s.meter);
}

const token_scale& campaign_state::scale(const std::string& model) const {
  static const token_scale nothing;
  auto s = scales_.find(model);
  return s == scales_.end() ? nothing : s->second;
}

/// What came of asking this model for a candidate.
void campaign_state::bore(const std::string& model, failure_kind kind, const token_usage& paid) {
  switch (kind) {
  case failure_kind::none:
    fruitless_.erase(model);
    set_aside_.erase(model);
    return;
  case failure_kind::no_code:
  case failure_kind::refused:
  case failure_kind::empty:
  case failure_kind::malformed:
  case failure_kind::truncated:
  case failure_kind::too_large:
  case failure_kind::markers:
    break;
  default: // nobody answered
    return;
  }
  auto limit = settings_.budget.fruitless;
  if (model.empty() || paid.input_tokens + paid.output_tokens == 0)
    return;
  if (++fruitless_[model] >= static_cast<std::uint64_t>(limit) && limit > 0)
    set_aside_.insert(model);
}

void campaign_state::forgive() {
  for (const auto& model : set_aside_)
    fruitless_.erase(model);
  set_aside_.clear();
}

bool campaign_state::all_set_aside() const {
  for (const auto& m : settings_.models)
    if (m.weight > 0 && !set_aside_.contains(m.name))
      return false;
  return true;
}

void campaign_state::consulted(const journal_agent_asked& r) {
  agent_calls_ = r.number;
  agent_calls_out_.push_back(r);
  asked(r.reserved);
}

bool campaign_state::advised(const journal_agent_replied& r) {
  const auto* out = agent_call(r.number);
  if (!out)
    return false;
  if (r.kind != failure_kind::none)
    ++failures_[std::string{to_text(r.kind)}];
  settle_call(&out->reserved, out->model, {r.usage, r.estimated, r.meter, r.unknown, r.unsent});
  agent_spend_ += r.usage;
  agent_calls_out_.erase(agent_calls_out_.begin() + (out - agent_calls_out_.data()));
  return true;
}

const journal_agent_asked* campaign_state::agent_call(std::uint32_t number) const {
  auto out = std::find_if(agent_calls_out_.begin(), agent_calls_out_.end(),
                          [&](const auto& c) { return c.number == number; });
  return out == agent_calls_out_.end() ? nullptr : &*out;
}

bool campaign_state::agents_may_hold(const reservation& r) const {
  auto theirs = agent_spend_.input_tokens + agent_spend_.output_tokens + r.tokens;
  for (const auto& c : agent_calls_out_)
    theirs += c.reserved.tokens;
  auto all = money_.spent().tokens + money_.reserved().tokens + r.tokens;
  return static_cast<double>(theirs) <= settings_.agents.share * static_cast<double>(all);
}

void campaign_state::judged(double device_s) {
  money_.settle({}, {.device_us = amounts::micro(device_s)});
}

void campaign_state::ended(std::uint32_t tree, std::uint32_t node, node_state state,
                           std::optional<double> score, double noise, std::optional<double> roofline,
                           bool tuned) {
  in_flight_ -= in_flight_ > 0;
  if (tuned) {
    tuning_ -= tuning_ > 0;
    tuned_ += state != node_state::cancelled;
  } else if (state == node_state::cancelled) {
    money_.release({.candidates = 1});
  } else {
    money_.settle({.candidates = 1}, {.candidates = 1});
  }
  if (state == node_state::cancelled)
    return;
  auto own = state == node_state::correct ? score.value_or(0) : 0;
  if (state == node_state::correct && (best_.node == no_node || own > best_.score))
    best_ = {tree, node, own, roofline.value_or(-1)};
  progress_.ended({.score = own, .correct = own > 0, .counts = !tuned},
                  std::max(settings_.budget.stall_min_gain, noise_band(noise)));
}

void campaign_state::admitted(const journal_admitted& r) {
  money_.settle({}, {.device_us = amounts::micro(r.device_s)});
}

void campaign_state::claimed(const journal_claimed& r, std::uint32_t targets, double search_score) {
  money_.settle({}, {.device_us = amounts::micro(r.device_s)});
  claims_.add(r, targets, search_score);
}

void campaign_state::validated(const journal_validated& r) {
  money_.settle({}, {.device_us = amounts::micro(r.there.device_s)});
  claims_.add(r);
}

campaign_state::winner campaign_state::published_best() const {
  const auto* champion = claims_.champion(settings_.goal.timed);
  return champion ? winner{champion->who.first, champion->who.second, champion->score(), -1} : best_;
}

/// `set` is journalled for people; the change itself arrives as the next `configured` record.
void campaign_state::steered(const journal_steered& r) {
  if (r.act == "pause")
    paused_ = true;
  else if (r.act == "resume")
    paused_ = false, forgive();
  else if (r.act == "hint")
    hints_.emplace_back(r.key, r.value);
}

void campaign_state::save(image_writer& out) const {
  out.packed(journal_configured{settings_, problem_digest_, backends_, version_});
  out.value(money_);
  progress_.save(out);
  out.value(best_);
  out.packed(failures_);
  out.value(in_flight_);
  out.value(epoch_);
  out.packed(spend_);
  out.value(paused_);
  out.packed(reason_);
  out.packed(hints_);
  out.packed(claims_.all());
  out.packed(agent_spend_);
  out.value(agent_calls_);
  out.packed(agent_calls_out_);
  out.value(tuned_);
  out.value(tuning_);
  out.packed(estimated_);
  out.value(unheard_);
  out.packed(scales_);
  out.packed(fruitless_);
  out.packed(std::vector<std::string>(set_aside_.begin(), set_aside_.end()));
}

void campaign_state::load(image_reader& in) {
  configured(in.packed<journal_configured>());
  money_ = in.value<ledger>();
  progress_.load(in);
  best_ = in.value<winner>();
  failures_ = in.packed<std::map<std::string, std::uint64_t>>();
  in_flight_ = in.value<std::uint64_t>();
  epoch_ = in.value<std::uint64_t>();
  spend_ = in.packed<token_usage>();
  paused_ = in.value<bool>();
  reason_ = in.packed<std::string>();
  hints_ = in.packed<std::vector<std::pair<std::string, std::string>>>();
  claims_.restore(in.packed<std::vector<claim_book::entry>>());
  agent_spend_ = in.packed<token_usage>();
  agent_calls_ = in.value<std::uint32_t>();
  agent_calls_out_ = in.packed<std::vector<journal_agent_asked>>();
  tuned_ = in.value<std::uint64_t>();
  tuning_ = in.value<std::uint64_t>();
  estimated_ = in.packed<token_usage>();
  unheard_ = in.value<std::uint64_t>();
  scales_ = in.packed<std::map<std::string, token_scale>>();
  fruitless_ = in.packed<std::map<std::string, std::uint64_t>>();
  for (auto& model : in.packed<std::vector<std::string>>())
    set_aside_.insert(std::move(model));
}

std::optional<std::string_view> campaign_state::stop(const amounts& next, bool proven, bool can_tune) const {
  const auto* champion = claims_.champion(settings_.goal.timed);
  return stop_reason(settings_.goal, settings_.budget, money_,
                     {.best_score = !proven    ? best_.score
                                    : champion ? champion->score()
                                               : 0,
                      .any_correct = proven ? champion != nullptr : best_.node != no_node,
                      .since_gain = progress_.ends(),
                      .in_flight = in_flight_ + (can_tune && tune_left() > 0),
                      .roofline_fraction = best_.roofline >= 0 ? std::optional{best_.roofline} : std::nullopt,
                      .lacking = money_.lacking(next)});
}

} // namespace ke
