#pragma once

#include "actors/campaign/campaign_options.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/search/campaign/campaign_status.hpp"
#include "runtime/store/store_port.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ke {

enum class node_state : std::uint8_t;
struct campaign_row;
struct model_settings;
struct problem;

/// A campaign's one sequence of inputs: the fold, and the journal that leads to it. Each record is applied
/// and queued for the store in one order, so that a restart and `replay` get the same state. Owns the fold,
/// campaign time and images; sends nothing to actors. Not thread-safe; callbacks of `commit` come on the
/// store's thread.
class campaign_journal {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `options` outlives it; `now`: the actor system's clock.
  campaign_journal(const campaign_options& options, std::function<time_point()> now)
      : options_{options}, now_{std::move(now)} {}

  /// Takes the fold out of `stored`, which it keeps alive. Campaign time goes on from the stored one.
  void load(std::shared_ptr<stored_campaign> stored);

  campaign_fold& fold() { return fold_; }
  const campaign_fold& fold() const { return fold_; }
  campaign_state& books() { return fold_.books(); }
  const campaign_state& books() const { return fold_.books(); }
  const campaign_settings& settings() const { return books().settings(); }
  std::vector<search_tree>& trees() { return fold_.trees(); }
  const std::vector<search_tree>& trees() const { return fold_.trees(); }
  search_tree& tree(std::uint32_t number) { return trees().at(number); }
  const search_tree& tree(std::uint32_t number) const { return trees().at(number); }
  const campaign_options& options() const { return options_; }
  const stored_campaign& stored() const { return *stored_; }
  stored_campaign& stored() { return *stored_; }
  const problem& what() const { return *stored_->problem; }
  /// Of a tree's candidates.
  const std::shared_ptr<const candidate_language>& language_of(std::uint32_t tree_number) const {
    return options_.languages.at(tree(tree_number).backend());
  }
  /// Throws if the settings hold none of that name.
  const model_settings& model(const std::string& name) const;

  node_key key(std::uint32_t tree_number, std::uint32_t node) const {
    return {options_.id, tree_number, node};
  }
  /// For people.
  std::string id(const node_key& n) const {
    return std::to_string(public_id(trees().size(), n.tree, n.node));
  }
  /// `cancelled` for a node that the fold does not have.
  node_state state_of(const node_key& n) const;

  time_point now() const { return now_(); }
  time_point begun() const { return begun_; } ///< this session
  /// Campaign time: the sum over its sessions.
  std::uint64_t wall_ms() const;
  bool is_of_this_session(std::uint64_t ms) const { return ms >= wall_base_; }
  time_point at(std::uint64_t ms) const { return begun_ + std::chrono::milliseconds{ms - wall_base_}; }

  /// Applies to the fold, then queues for the store. Throws if the fold does not take it: a bug.
  template <class Record>
  void record(store_batch& batch, journal_kind kind, const Record& r) {
    books().wall(wall_ms());
    if (auto done = fold_.apply(r); !done)
      throw std::runtime_error{done.error().text};
    journal(batch, kind, r);
  }
  /// For what the fold has already taken.
  template <class Record>
  void journal(store_batch& batch, journal_kind kind, const Record& r) {
    last_ = {kind, wall_ms(), options_.unix_ms(), pack(r)};
    ++records_;
    batch.journal.emplace_back(options_.id, last_);
  }
  /// After the commit, `line` is published and `then` called; neither if the store has stopped.
  void commit(store_batch batch, std::string line = {}, std::function<void()> then = {});

  /// The campaign's row, with the counts of now.
  void put_campaign(store_batch& batch, const std::string& state, const std::string& reason = {}) const;
  /// Why it is paused, for people; shown only while it is.
  void pause_reason(std::string why) { pause_reason_ = std::move(why); }
  campaign_row row(const std::string& state) const;

  std::string event(const char* kind,
                    std::initializer_list<std::pair<const char*, std::string>> fields) const;
  /// To people, now.
  void publish(const std::string& line) const {
    if (options_.publish)
      options_.publish(line);
  }

  /// An image of the present fold, if one is due, kept once everything before it is committed.
  void image_while_running();
  void image_at_end();

private:
  void make_image();

  const campaign_options& options_;
  std::function<time_point()> now_;
  std::shared_ptr<stored_campaign> stored_;
  campaign_fold fold_;
  std::uint64_t records_ = 0, imaged_ = 0; ///< of the journal: all; in the newest image
  journal_record last_;                    ///< the newest one of this session
  std::uint64_t wall_base_ = 0;
  time_point begun_{};
  std::string pause_reason_;
};

} // namespace ke
