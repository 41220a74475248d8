#pragma once

#include "actors/campaign/campaign_journal.hpp"
#include "actors/campaign/target_devices.hpp"
#include "actors/messages/evaluation_messages.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/records/best_known_baseline.hpp"
#include "runtime/search/campaign/admission.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ke {

struct verdict;

/// The answer of the store: whether the problem was admitted before on this target.
struct admission_looked_up {
  std::uint32_t tree = 0, target = 0;
  std::shared_ptr<const verdict> found; ///< null: the store has none
};

/// For each tree: whether its candidates can be judged. The reference is judged as its own candidate before a
/// model is paid (runtime/search/campaign/admission.hpp). Owns what is known and what is asked of it; not
/// thread-safe.
class admissions {
public:
  /// Ways out; any thread, must not block.
  struct port {
    std::function<void(evaluate_request)> evaluate;
    std::function<void(cancel_evaluation)> cancel;
    std::function<void(admission_looked_up)> looked_up; ///< for `looked_up` below; on the store's thread
  };

  admissions(campaign_journal& journal, const target_devices& devices, port out)
      : journal_{journal}, devices_{devices}, out_{std::move(out)} {}

  /// Whether models may be asked for this tree. Finds out if that is not known: its devices must be there.
  bool is_admitted(const search_tree& tree);
  /// `may_measure`: the campaign still asks models, so what the store does not know is measured.
  void looked_up(const admission_looked_up& l, bool may_measure);
  /// A verdict on the reference. False, and nothing is taken out of `j`: nobody waits for it.
  bool reference_judged(judged& j);
  /// False: nobody waited for it.
  bool reference_failed(const evaluation_failed& f);
  /// No new work: measurements are cancelled, and made again when they are wanted.
  void drop();

  /// Why no tree can be judged. Empty: one is admitted, or may be.
  std::optional<std::string> all_refused() const;
  /// What the reference took when it was admitted; null: it was not timed, or that is not known yet.
  std::shared_ptr<const timing_summary> reference_times(std::uint32_t tree) const;
  /// What a tree waits for, for people; empty: for nothing.
  std::string waits_for(std::uint32_t tree) const;

private:
  enum class progress { unknown, looking, measuring, resting, refused, admitted };
  struct entry {
    progress at = progress::unknown;
    std::vector<std::shared_ptr<const verdict>> known; ///< by target, as the store has it
    std::size_t asked = 0;                             ///< look-ups that are out
    std::vector<std::shared_ptr<const verdict>> found; ///< of this try, by target
    std::shared_ptr<const evaluate_request> request;
    unsigned tries = 0, rests = 0;
    std::chrono::steady_clock::time_point rest_until{};
    std::string why; ///< resting, refused
  };
  bool timed() const { return journal_.settings().goal.timed; }
  admission_subject subject() const { return admission_subject_of(journal_.what(), timed()); }
  entry* measuring(std::uint32_t tree);
  void look_up(const search_tree& tree, entry& a);
  void measure(const search_tree& tree, entry& a);
  evaluate_request request_of(const search_tree& tree, const entry& a) const;
  void keep_for_devices(store_batch& batch, const search_tree& tree, const verdict& v) const;
  void decide(const search_tree& tree, entry& a);
  void admit(const search_tree& tree, entry& a);
  void rest(const search_tree& tree, entry& a, const std::string& why);
  void refuse(const search_tree& tree, entry& a, std::string why);
  void tell(const search_tree& tree, const char* state, const std::string* why = nullptr) const;

  campaign_journal& journal_;
  const target_devices& devices_;
  port out_;
  std::map<std::uint32_t, entry> trees_;
};

} // namespace ke
