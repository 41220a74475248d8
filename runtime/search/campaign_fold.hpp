#pragma once

#include "runtime/search/campaign_books.hpp"
#include "runtime/search/tree_core.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// A campaign's state as a function of its journal: its books and its trees. Resume, `replay` and `store
/// check` fold with it; live code uses the same parts, takes them out of a fold (`books`, `take_trees`) and
/// feeds them the same inputs in the order in which it journals them. Not thread-safe.
class campaign_fold {
public:
  /// `corrupt` if the record cannot have followed the earlier ones (an unknown node, another first node than
  /// the policy chooses now); `invalid` if its settings ask for something that this version does not have.
  /// After a failure the fold must not be used any more.
  status apply(const journal_record& record);

  status apply(const journal_configured& r); ///< the first record; again when settings change
  status apply(const journal_session& r);
  status apply(const journal_stepped& r);
  status apply(const journal_seeded& r);
  status apply(const journal_asked& r);
  status apply(const journal_failed_request& r);
  status apply(const journal_replied& r);
  status apply(const journal_consulted& r);
  status apply(const journal_advised& r);
  status apply(const journal_judged& r);
  status apply(const journal_ended& r);
  status apply(const journal_steered& r);
  status apply(const journal_finished& r);
  status apply(const journal_claimed& r);
  status apply(const journal_admitted& r);

  /// Live: applies a step of at most `count` children, as far as the budgets of candidates and of templates'
  /// points go, and gives the record that repeats it.
  result<std::pair<std::vector<expansion>, journal_stepped>> step(std::uint32_t tree, std::uint32_t count);

  bool configured() const { return !trees_.empty(); }
  campaign_books& books() { return books_; }
  const campaign_books& books() const { return books_; }
  std::vector<tree_core>& trees() { return trees_; }
  const std::vector<tree_core>& trees() const { return trees_; }
  std::vector<tree_core> take_trees() { return std::move(trees_); } ///< the last thing to do with a fold

  std::map<std::string, std::uint64_t>
  states() const;              ///< candidates by state over all trees; zero counts left out
  std::uint64_t ended() const; ///< candidates that have ended, counted from the trees
  std::uint64_t records() const { return records_; } ///< applied so far

  /// Asked and not replied. After a crash the caller looks in the store for each one's reply, and journals
  /// and applies `replied` with it, or with `unknown` set where there is none.
  std::vector<std::pair<std::uint32_t, open_call>> open_calls() const; ///< with the tree's number

  /// The store's cache of this state. Name, digest of settings, and time of creation are the caller's to
  /// fill.
  campaign_row row(std::uint32_t id) const;
  std::string hash() const; ///< over trees, money, counts and progress

  /// The whole state as bytes, so that a resume need not fold a long journal from its beginning. A cache: it
  /// says nothing that the journal does not say, and is good only for the program that wrote it (`layout`).
  std::string image(std::uint64_t records) const; ///< `records`: of the journal, that led here
  static result<campaign_fold> from_image(std::string_view bytes);
  /// Differs between programs whose images differ in layout.
  static std::string image_layout();

private:
  result<tree_core*> tree(std::uint32_t number);
  void tell_trees();
  template <class Record>
  status apply_to_node(const Record& r);

  campaign_books books_;
  std::vector<tree_core> trees_;
  std::uint64_t records_ = 0;
};

} // namespace ke
