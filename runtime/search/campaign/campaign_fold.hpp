#pragma once

#include "runtime/core/journal.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/search/campaign/campaign_state.hpp"
#include "runtime/search/campaign/expansion.hpp"
#include "runtime/search/campaign/search_tree.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ke {

struct campaign_row;
struct journal_configured;
struct journal_retrieved;

/// A campaign's state as a function of its journal: the books and the trees. Resume, `replay` and `store
/// check` fold with it; the live campaign owns one and applies each input in the order in which it journals
/// it. Not thread-safe.
class campaign_fold {
public:
  /// `corrupt`: the record cannot follow the earlier ones (an unknown node, or the policy chooses another
  /// first node now). `invalid`: the settings ask for something that this version lacks. Unusable after a
  /// failure.
  status apply(const journal_record& record);

  status apply(const journal_configured& r); ///< the first record; again when settings change
  status apply(const journal_session& r);
  status apply(const journal_stepped& r);
  status apply(const journal_seeded& r);
  status apply(const journal_asked& r);
  status apply(const journal_failed_request& r);
  status apply(const journal_replied& r);
  status apply(const journal_agent_asked& r);
  status apply(const journal_agent_replied& r);
  status apply(const journal_judged& r);
  status apply(const journal_ended& r);
  status apply(const journal_steered& r);
  status apply(const journal_finished& r);
  status apply(const journal_claimed& r);
  status apply(const journal_validated& r);
  status apply(const journal_admitted& r);
  status apply(const journal_retrieved& r); ///< changes nothing: it must name a node that there is

  /// Live: applies a step of at most `count` children, within the budgets of candidates and of points; also
  /// returns the record that repeats it.
  result<std::pair<std::vector<expansion>, journal_stepped>> step(std::uint32_t tree, std::uint32_t count);

  bool configured() const { return !trees_.empty(); }
  campaign_state& books() { return books_; }
  const campaign_state& books() const { return books_; }
  std::vector<search_tree>& trees() { return trees_; }
  const std::vector<search_tree>& trees() const { return trees_; }

  /// Candidates by state over all trees; zero counts left out.
  std::map<std::string, std::uint64_t> states() const;
  std::uint64_t ended() const;                       ///< candidates that have ended, counted from the trees
  std::uint64_t records() const { return records_; } ///< applied so far

  /// Asked and not replied. After a crash the caller looks up each reply in the store, then journals and
  /// applies `replied` with it, or with `unknown` if there is none.
  std::vector<std::pair<std::uint32_t, open_call>> open_calls() const; ///< with the tree's number

  /// The store's cache of this state. The caller fills in name, digest of settings, and time of creation.
  campaign_row row(std::uint32_t id) const;
  std::string hash() const; ///< over trees, money, counts and progress

  /// The whole state as bytes, so that a resume need not fold a long journal. A cache: it adds nothing to the
  /// journal and is valid only for the program that wrote it (`layout`).
  std::string image(std::uint64_t records) const; ///< `records`: of the journal that led here
  static result<campaign_fold> from_image(std::string_view bytes);
  /// Differs between programs whose images differ in layout.
  static std::string image_layout();

private:
  result<search_tree*> tree(std::uint32_t number);
  void tell_trees();
  template <class Record>
  status apply_to_node(const Record& r);

  campaign_state books_;
  std::vector<search_tree> trees_;
  std::uint64_t records_ = 0;
};

} // namespace ke
