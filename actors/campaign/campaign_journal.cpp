#include "actors/campaign/campaign_journal.hpp"

namespace ke {

void campaign_journal::load(std::shared_ptr<stored_campaign> stored) {
  stored_ = std::move(stored);
  fold_ = std::move(stored_->fold);
  wall_base_ = stored_->wall_ms;
  records_ = fold_.records();
  imaged_ = stored_->imaged;
  begun_ = now_();
}

const model_settings& campaign_journal::model(const std::string& name) const {
  for (const auto& m : settings().models)
    if (m.name == name)
      return m;
  throw std::runtime_error{"no [[model]] is named " + name};
}

node_state campaign_journal::state_of(const node_key& n) const {
  return n.tree < trees().size() && n.node < tree(n.tree).tree().size() ? tree(n.tree).tree()[n.node].state
                                                                        : node_state::cancelled;
}

std::uint64_t campaign_journal::wall_ms() const {
  auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(now_() - begun_);
  return wall_base_ + static_cast<std::uint64_t>(passed.count());
}

void campaign_journal::commit(store_batch batch, std::string line, std::function<void()> then) {
  if (line.empty() && !then) // nobody waits: the store may write it together with what follows
    return options_.store->write(std::move(batch));
  options_.store->write(std::move(batch), [line = std::move(line), then = std::move(then),
                                           publish = options_.publish](status done) {
    if (!done)
      return; // the store stopped; its owner ends the program
    if (!line.empty() && publish)
      publish(line);
    if (then)
      then();
  });
}

campaign_row campaign_journal::row(const std::string& state) const {
  auto row = fold_.row(options_.id);
  if (!state.empty())
    row.state = state;
  row.pause_reason = row.state == "paused" ? pause_reason_ : "";
  return row;
}

void campaign_journal::put_campaign(store_batch& batch, const std::string& state,
                                    const std::string& reason) const {
  auto now = row(state);
  now.name = stored_->row.name;
  now.settings_digest = stored_->row.settings_digest;
  now.problem_digest = stored_->row.problem_digest;
  now.created_unix_ms = stored_->row.created_unix_ms;
  now.state = state;
  now.stop_reason = reason;
  batch.put(table::campaigns, key_of(options_.id), pack(now));
}

std::string campaign_journal::event(const char* kind,
                                    std::initializer_list<std::pair<const char*, std::string>> fields) const {
  return event_json(kind, settings().name, fields);
}

void campaign_journal::image_while_running() {
  if (image_is_due(records_, imaged_, options_.image_every))
    make_image();
}

void campaign_journal::image_at_end() {
  if (image_is_due(records_, imaged_, options_.image_every / 4, 64))
    make_image();
}

void campaign_journal::make_image() {
  if (!options_.keep_image || records_ == imaged_ || last_.body.empty())
    return;
  imaged_ = records_;
  auto header = header_of_image(options_.store_id, options_.id, records_, last_);
  auto body = std::make_shared<std::string>(fold_.image(records_));
  commit({}, {}, [keep = options_.keep_image, header = std::move(header), body]() mutable {
    keep(std::move(header), std::move(*body));
  });
}

} // namespace ke
