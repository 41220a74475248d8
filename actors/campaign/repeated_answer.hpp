#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ke {

class campaign_journal;
struct answered;
struct journal_replied;

/// An answer whose candidate has been judged before: comments, blanks and the names of local variables aside
/// (runtime/text/source_form.hpp).
struct repeated_answer {
  std::uint32_t first = 0; ///< the node that has its candidate
  std::string why;         ///< for the model that is asked again, and for people
};

/// Whether the model is asked again for another candidate. `r`: the answer's record. Nothing if the node does
/// not wait for this, or what is known of the candidate says nothing of it (noisy, out of time) or is still
/// to come. Pure.
std::optional<repeated_answer> repeated_by(const campaign_journal& journal, const answered& a,
                                           const journal_replied& r);

/// The record of such an answer: paid, and without a candidate. Its source is kept by its digest.
journal_replied repeat_of(journal_replied r, std::uint32_t first);

} // namespace ke
