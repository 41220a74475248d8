#pragma once

#include "knowledge/document_search.hpp"
#include "knowledge/way_summary.hpp"

#include <optional>
#include <variant>

namespace ke {

/// What a sub-agent can do for a prompt.
enum class study_kind : std::uint8_t { memory, research };
KE_NAMES(study_kind, 2, "memory", "research")

/// Something to find out for a prompt, with all that is needed for it. Prompts with the same `key` ask for
/// the same: what was found for one serves them all.
struct study {
  study_kind kind = study_kind::memory;
  std::string key;
  std::string text;   ///< memory: the records; research: the situation in words
  signal_query query; ///< research: decides which documents there are
};

/// The way to the parent, summed up; nothing if it is short, or if this prompt does not show it.
std::optional<study> memory_study(const prompt_request& request);

/// The documents for the parent's diagnosis or failure; nothing for drafts and for a parent that says
/// neither. Its key is coarse: kind of kernel, target, bottleneck or failure with the message's first line
/// without its figures, how deep the library is open.
std::optional<study> research_study(const prompt_request& request, bool stalled);

/// The talk with a model about one study. Pure; one thread.
class study_talk {
public:
  study_talk(const study& what, std::shared_ptr<const corpus> library);

  prompt next() const;
  bool take(std::string_view answer); ///< true: it is over
  /// memory: the lines; research: ids, one a line. Empty: nothing was found.
  std::string found() const;

private:
  std::variant<way_summary, document_search> talk_;
};

/// Puts what was found into the request: before `consult`.
void use_study(prompt_request& request, study_kind kind, const std::string& found);

} // namespace ke
