#pragma once

#include "knowledge/library/document_search.hpp"
#include "knowledge/prompt/lineage_summary.hpp"
#include "runtime/core/names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace ke {

struct prompt_request;

/// What a sub-agent can do for a prompt.
enum class study_kind : std::uint8_t { memory, research };
KE_NAMES(study_kind, 2, "memory", "research")

/// A question to answer for a prompt, with everything needed for it. One finding serves all prompts with the
/// same `key`.
struct study {
  study_kind kind = study_kind::memory;
  std::string key;
  std::string text;   ///< memory: the records; research: the situation in words
  signal_query query; ///< research: which documents there are
};

/// The summary of the steps to the parent; nothing if they are few, or not shown in this prompt.
std::optional<study> memory_study(const prompt_request& request);

/// The documents for the parent's diagnosis or failure; nothing for drafts, and for a parent without either.
/// The key is coarse: kind of kernel, target, bottleneck or failure with the message's first line without
/// figures, and how deep the library is open.
std::optional<study> research_study(const prompt_request& request, bool stalled);

/// The talk with a model about one study. Pure; one thread.
class study_talk {
public:
  study_talk(const study& what, std::shared_ptr<const corpus> library);

  prompt next() const;
  bool take(std::string_view answer); ///< true: it is over
  /// memory: the lines; research: ids, one per line. Empty: nothing was found.
  std::string found() const;

private:
  std::variant<lineage_summary, document_search> talk_;
};

/// Puts the finding into the request; call it before `consult`.
void use_study(prompt_request& request, study_kind kind, const std::string& found);

} // namespace ke
