#include "runtime/search/campaign_books.hpp"

#include <algorithm>

namespace ke {

void campaign_books::configured(const journal_configured& r) {
  settings_ = r.settings;
  problem_digest_ = r.problem_digest;
  backends_ = r.trees;
  version_ = r.version;
  money_.caps(settings_.budget);
}

void campaign_books::session(const journal_session& r) {
  epoch_ = r.epoch;
  reason_.clear();
}

amounts campaign_books::claim(const reservation& r, std::uint64_t candidates) {
  return {candidates, r.tokens, amounts::nano(r.usd), 0};
}

void campaign_books::stepped(std::uint32_t made) {
  money_.force({.candidates = made});
  in_flight_ += made;
}

void campaign_books::asked(const reservation& r) {
  ++requests_;
  money_.force(claim(r));
}

void campaign_books::failed_request(failure_kind kind) {
  ++requests_;
  ++failures_[std::string{to_text(kind)}];
}

void campaign_books::replied(const journal_replied& r, const std::optional<reservation>& reserved) {
  if (r.kind != failure_kind::none)
    ++failures_[std::string{to_text(r.kind)}];
  settle_call(reserved.value_or(reservation{}), r.usage, r.unknown);
}

void campaign_books::settle_call(const reservation& reserved, const token_usage& usage, bool unknown) {
  auto held = claim(reserved);
  amounts spent{.tokens = usage.input_tokens + usage.output_tokens, .nano_usd = amounts::nano(usage.usd)};
  if (unknown)
    spent = held; // it may have been answered and billed
  money_.settle(held, spent);
  spend_ += usage;
  spend_.usd = money_.spent().usd();
}

void campaign_books::consulted(const journal_consulted& r) {
  agent_calls_ = r.number;
  agent_calls_out_.push_back(r);
  asked(r.reserved);
}

bool campaign_books::advised(const journal_advised& r) {
  const auto* out = agent_call(r.number);
  if (!out)
    return false;
  if (r.kind != failure_kind::none)
    ++failures_[std::string{to_text(r.kind)}];
  settle_call(out->reserved, r.usage, r.unknown);
  agent_spend_ += r.usage;
  agent_calls_out_.erase(agent_calls_out_.begin() + (out - agent_calls_out_.data()));
  return true;
}

const journal_consulted* campaign_books::agent_call(std::uint32_t number) const {
  auto out = std::find_if(agent_calls_out_.begin(), agent_calls_out_.end(),
                          [&](const auto& c) { return c.number == number; });
  return out == agent_calls_out_.end() ? nullptr : &*out;
}

bool campaign_books::agents_may_hold(const reservation& r) const {
  auto theirs = agent_spend_.input_tokens + agent_spend_.output_tokens + r.tokens;
  for (const auto& c : agent_calls_out_)
    theirs += c.reserved.tokens;
  auto all = money_.spent().tokens + money_.reserved().tokens + r.tokens;
  return static_cast<double>(theirs) <= settings_.agents.share * static_cast<double>(all);
}

void campaign_books::judged(double device_s) {
  money_.settle({}, {.device_us = amounts::micro(device_s)});
}

void campaign_books::ended(std::uint32_t tree, std::uint32_t node, node_state state,
                           std::optional<double> score, double noise, std::optional<double> roofline) {
  in_flight_ -= in_flight_ > 0;
  if (state == node_state::cancelled)
    return money_.release({.candidates = 1});
  money_.settle({.candidates = 1}, {.candidates = 1});
  auto own = state == node_state::correct ? score.value_or(0) : 0;
  if (state == node_state::correct && (best_.node == no_node || own > best_.score))
    best_ = {tree, node, own, roofline.value_or(-1)};
  progress_.finished(own > 0 ? std::optional{own} : std::nullopt,
                     std::max(settings_.budget.stall_min_gain, noise_band(noise)));
}

void campaign_books::claimed(const journal_claimed& r, std::uint32_t targets, double search_score) {
  money_.settle({}, {.device_us = amounts::micro(r.device_s)});
  claims_.add(r, targets, search_score);
}

campaign_books::winner campaign_books::told() const {
  const auto* champion = claims_.champion(settings_.goal.timed);
  return champion ? winner{champion->who.first, champion->who.second, champion->score(), -1} : best_;
}

/// `set` is journalled for people; what it changes arrives as the `configured` record that follows it.
void campaign_books::steered(const journal_steered& r) {
  if (r.act == "pause")
    paused_ = true;
  else if (r.act == "resume")
    paused_ = false;
  else if (r.act == "hint")
    hints_.emplace_back(r.key, r.value);
}

void campaign_books::save(image_writer& out) const {
  out.packed(journal_configured{settings_, problem_digest_, backends_, version_});
  out.value(money_);
  out.value(progress_);
  out.value(best_);
  out.packed(failures_);
  out.value(requests_);
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
}

void campaign_books::load(image_reader& in) {
  configured(in.packed<journal_configured>());
  money_ = in.value<ledger>();
  progress_ = in.value<progress_meter>();
  best_ = in.value<winner>();
  failures_ = in.packed<std::map<std::string, std::uint64_t>>();
  requests_ = in.value<std::uint64_t>();
  in_flight_ = in.value<std::uint64_t>();
  epoch_ = in.value<std::uint64_t>();
  spend_ = in.packed<token_usage>();
  paused_ = in.value<bool>();
  reason_ = in.packed<std::string>();
  hints_ = in.packed<std::vector<std::pair<std::string, std::string>>>();
  claims_.restore(in.packed<std::vector<claim_book::entry>>());
  agent_spend_ = in.packed<token_usage>();
  agent_calls_ = in.value<std::uint32_t>();
  agent_calls_out_ = in.packed<std::vector<journal_consulted>>();
}

std::optional<std::string_view> campaign_books::stop(const amounts& next, bool proven) const {
  const auto* champion = claims_.champion(settings_.goal.timed);
  return stop_reason(settings_.goal, settings_.budget, money_,
                     {.best_score = !proven    ? best_.score
                                    : champion ? champion->score()
                                               : 0,
                      .any_correct = proven ? champion != nullptr : best_.node != no_node,
                      .since_gain = progress_.since_gain(),
                      .in_flight = in_flight_,
                      .roofline_fraction = best_.roofline >= 0 ? std::optional{best_.roofline} : std::nullopt,
                      .lacking = money_.lacking(next)});
}

} // namespace ke
