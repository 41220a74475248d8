#include "knowledge/skills/skill_library.hpp"

#include "knowledge/skills/distil.hpp"
#include "knowledge/skills/skill_record.hpp"

namespace ke {

document document_of(const skill& s) {
  document d;
  d.id = s.id;
  d.path = s.id;
  d.title = s.title;
  d.kind = document_kind::skill;
  d.targets = s.targets;
  if (d.targets.empty())
    d.targets = {"*"};
  if (!s.family.empty())
    d.families = {s.family};
  d.dtypes = s.dtypes;
  if (!s.bottleneck.empty())
    d.signals.bottleneck = {s.bottleneck};
  if (!s.failure.empty())
    d.signals.failure = {s.failure};
  for (const auto& e : s.evidence)
    d.sources.push_back(e.store + "/" + e.campaign + "/" + std::to_string(e.tree) + ":" +
                        std::to_string(e.node));
  d.body = shown_skill(s);
  d.prior = usefulness_bound(uses_of(s));
  return d;
}

} // namespace ke
