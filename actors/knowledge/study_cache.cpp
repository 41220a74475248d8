#include "actors/knowledge/study_cache.hpp"

#include "runtime/observe/counters.hpp"
#include "runtime/observe/log.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr std::size_t most_known = 4096; ///< in memory; the store has them all

std::string row_key(const std::string& key) {
  return "study/" + key;
}

} // namespace

void study_cache::wanted(study_wanted& w) {
  static auto& cached = counters::get("knowledge.studies_cached");
  auto key = w.what->key;
  if (auto k = known_.find(key); k != known_.end()) {
    ++cached;
    return send_weak(w.to, study_found{w.attempt, w.what->kind, k->second});
  }
  auto& o = open_[key];
  o.who.push_back(std::move(w));
  if (o.who.size() > 1)
    return;
  store_->read(table::shared, row_key(key), [me = weak(self_), key](result<std::string> row) {
    send_weak(me, study_read{key, row ? std::move(*row) : std::string{}});
  });
}

void study_cache::read(const study_read& r) {
  static auto& made = counters::get("knowledge.studies");
  auto o = open_.find(r.key);
  if (o == open_.end() || o->second.agent)
    return;
  if (!r.found.empty())
    return finish(r.key, r.found);
  ++made;
  const auto& first = o->second.who.front();
  o->second.agent =
      self_->spawn(sub_agent, names_, first.what, shelf_->now(), first.node, first.model, weak(self_));
  self_->monitor(o->second.agent);
}

void study_cache::over(const study_over& o) {
  if (o.why.kind != failure_kind::none)
    log::info("knowledge", "a sub-agent could not help: rules decide", {{"why", o.why.text}});
  else if (!o.found.empty()) {
    store_batch batch;
    batch.put(table::shared, row_key(o.key), o.found);
    store_->write(std::move(batch));
  }
  if (o.why.kind == failure_kind::none && o.found.empty() && known_.size() < most_known)
    known_[o.key]; // what it did not find it will not find again
  finish(o.key, o.found);
}

/// One that crashed; the others have told.
void study_cache::down(const caf::down_msg& msg) {
  auto o = std::find_if(open_.begin(), open_.end(), [&](const auto& x) {
    return x.second.agent && x.second.agent.address() == msg.source;
  });
  if (o == open_.end())
    return;
  log::warn("knowledge", "a sub-agent crashed: rules decide", {{"why", text_of(msg.reason)}});
  finish(std::string{o->first}, {});
}

void study_cache::finish(const std::string& key, const std::string& found) {
  auto o = open_.find(key);
  if (o == open_.end())
    return;
  auto who = std::move(o->second.who);
  open_.erase(o);
  if (!found.empty() && known_.size() < most_known)
    known_[key] = found;
  for (const auto& w : who)
    send_weak(w.to, study_found{w.attempt, w.what->kind, found});
}

} // namespace ke
