#include "actors/campaign/campaign_router.hpp"

#include "actors/messages/addresses.hpp"
#include "actors/messages/handlers_of.hpp"

namespace ke {

caf::behavior campaign(caf::event_based_actor* self, campaign_options options) {
  keep_exception_text(self);
  auto at = addresses::campaign(options.id);
  auto state = std::make_shared<campaign_router>(self, std::move(options));
  handlers_of loaded{
      at,
      [=](campaign_loaded& l) { state->loaded(l); },
      [=](const capacity& c) { state->capacity_is(c); },
      [=](prompt_ready& p) { state->prompt(p); },
      [=](agent_call& c) { state->agent_wants(c); },
      [=](const synthesis& s) { state->agent_answered(s); },
      [=](const given_answer& a) { state->given(a); },
      [=](const answered& a) { state->answer(a); },
      [=](const failed_try& f) { state->failed(f); },
      [=](const stage_changed& s) { state->stage(s); },
      [=](const measured_again& m) { state->again(m); },
      [=](judged& j) { state->judge(j); },
      [=](const evaluation_failed& f) { state->evaluation_failed_for(f); },
      [=](const node_crashed& c) { state->crashed(c); },
      [=](const want_context& w) { state->context_wanted(w); },
      [=](const tree_started& t) { state->tree_began(t); },
      [=](const steer& s) { state->steered(s); },
      [=](const status_request& s) { state->status_wanted(s); },
      [=](const campaign_tick&) { state->tick(); },
      [=](const interrupt&) { state->interrupted(); },
      [=](const lineage_learnt&) { state->learnt(); },
      [=](const grace_is_over&) { state->grace_over(); },
      [=](const hearing_over&) { state->heard_enough(); },
      [=](const finalist_read& f) { state->finalist(f); },
      [=](const shapes_read& s) { state->shapes(s); },
      [=](const parts_read& p) { state->parts(p); },
      [=](const admission_looked_up& l) { state->looked_up(l); },
  };
  // What comes while the store is being read is kept: an answer or a verdict that is lost is paid for again.
  self->set_default_handler(caf::skip);
  return {
      [=](campaign_loaded& l) {
        self->become(loaded.behavior());
        state->loaded(l);
      },
      [=](const status_request& s) { state->status_wanted(s); },
      [=](const interrupt&) { state->interrupted(); },
  };
}

} // namespace ke
