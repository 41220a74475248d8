#include "knowledge/prompt/prompt_builder.hpp"

#include "knowledge/prompt/promised.hpp"
#include "knowledge/prompt/prompt_budget.hpp"
#include "knowledge/prompt/prompt_parts.hpp"
#include "knowledge/prompt/quote.hpp"
#include "knowledge/prompt/task_block.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/text/candidate_language.hpp"

#include <utility>

namespace ke {
namespace {

/// Sections in the order of the prompt, each with its worth.
class sheet {
public:
  enum class place : std::uint8_t { own, stable, shared };

  explicit sheet(text_pool* texts) : texts_{texts} {}

  void need(std::string name, std::string text, place where = place::own) {
    add(std::move(name), std::move(text), where, 0, true);
  }
  void offer(double value, std::string name, std::string text, place where = place::own) {
    add(std::move(name), std::move(text), where, value, false);
  }
  std::vector<weighed_section> take() { return std::move(sections_); }

private:
  void add(std::string name, std::string text, place where, double value, bool required) {
    if (text.empty())
      return;
    shared_text kept =
        texts_ && where != place::own ? texts_->one_of(std::move(text)) : shared_text{std::move(text)};
    sections_.push_back({{std::move(kept), where == place::stable, std::move(name), where == place::shared},
                         value,
                         required});
  }
  text_pool* texts_;
  std::vector<weighed_section> sections_;
};

/// The reference is in the candidates' language, or has its own language's name for a fence.
const std::string& reference_fence(const prompt_request& r) {
  const auto& own = r.problem->reference_language;
  return own == r.language->name ? r.language->fence() : own;
}

std::string passage_text(const passage& p, const char* kind) {
  return "\n## " + std::string{kind} + ": " + p.title + "\n" + *p.text +
         (p.text->ends_with('\n') ? "" : "\n");
}

} // namespace

// The worth of a section is what the next answer would lose without it. First comes what is needed to change
// the parent at all, then why the parent is as it is, then what others have learnt, then what can be looked
// up. A repair lives from the diagnostics; a step forward from the bottleneck and from what was tried.
prompt build_prompt(const prompt_request& r) {
  auto fixing = r.operation == operation_kind::fix;
  sheet s{r.texts};
  s.need("ke-task", task_block(r));
  s.need("task", task_part(r), sheet::place::stable);
  s.need("promised", promised_text(*r.problem), sheet::place::stable);
  s.offer(50, "target", target_part(r), sheet::place::stable);
  s.offer(61, section_measured, measured_here_part(r), sheet::place::stable);
  s.offer(93, "constraints", constraints_part(r), sheet::place::stable);
  s.offer(r.parent ? 40 : 95, "reference",
          "\n## Reference\n" + fenced(reference_fence(r), r.problem->reference), sheet::place::stable);
  s.need("answer", answer_part(r), sheet::place::stable);
  if (r.parent) {
    s.need("parent", parent_part(r));
    if (fixing)
      s.offer(98, "failure", failure_part(r));
    s.offer(fixing ? 30 : 90, "diagnosis", diagnosis_part(r));
    s.offer(88, "partner", partner_part(r));
    s.offer(45, "parameters", space_part(r));
    if (shows_ancestors(r.memory)) {
      s.offer(fixing ? 45 : 62, "ancestors", ancestors_part(r));
      s.offer(fixing ? 46 : 66, "past", past_part(r));
      s.offer(fixing ? 52 : 44, "changes", changes_part(r));
    }
    if (shows_siblings(r.memory)) {
      s.offer(fixing ? 48 : 72, "siblings", siblings_part(r));
      s.offer(fixing ? 35 : 60, "beside", uncles_part(r));
    }
  }
  if (!fixing && (!r.parent || r.memory != memory_kind::clean))
    s.offer(r.parent ? 58 : 86, "archive", archive_part(r));
  double worth = fixing ? 75 : 70; // retrieval's order is its measure
  for (const auto& k : r.knowledge)
    s.offer(worth -= 6, section_of_document + k.id, passage_text(k, "Knowledge"), sheet::place::shared);
  s.offer(80, "direction", direction_part(r));
  s.need("form", form_part(r));
  s.need("hints", hints_part(r));
  s.need("repair", repair_part(r));
  return fit_prompt(s.take(), r.budget_tokens);
}

} // namespace ke
