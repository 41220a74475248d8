#include "actors/knowledge/sub_agent.hpp"

#include "actors/messages/addresses.hpp"

namespace ke {

struct study_late {};

} // namespace ke

KE_MESSAGE(ke::study_late)

namespace ke {
namespace {

class study_session {
public:
  study_session(caf::event_based_actor* self, std::shared_ptr<directory> names,
                std::shared_ptr<const study> what, std::shared_ptr<const corpus> library, node_key node,
                std::string model, weak_actor owner)
      : self_{self}, names_{std::move(names)}, what_{std::move(what)}, talk_{*what_, std::move(library)},
        node_{node}, model_{std::move(model)}, owner_{std::move(owner)} {
    if (auto o = caf::actor_cast<caf::actor>(owner_))
      self_->monitor(o);
    if (auto payer = names_->find(addresses::campaign(node_.campaign)))
      self_->monitor(payer.weak());
    after(self_, study_limit, study_late{});
    ask();
  }

  void answer(const agent_answer& a) {
    if (a.why.kind != failure_kind::none)
      return over({}, a.why);
    talk_.take(a.reply->text) ? over(talk_.found(), {}) : ask();
  }

  void over(std::string found, failure why) {
    send_weak(owner_, study_over{what_->key, std::move(found), std::move(why)});
    self_->quit();
  }

private:
  void ask() {
    auto reply = [to = weak(self_)](agent_answer a) { send_weak(to, std::move(a)); };
    if (!names_->send(addresses::campaign(node_.campaign),
                      agent_call{node_, std::string{to_text(what_->kind)}, model_, talk_.next(), reply}))
      over({}, {failure_kind::cancelled, "its campaign is not there", false});
  }

  caf::event_based_actor* self_;
  std::shared_ptr<directory> names_;
  std::shared_ptr<const study> what_;
  study_talk talk_;
  node_key node_;
  std::string model_;
  weak_actor owner_;
};

} // namespace

caf::behavior sub_agent(caf::event_based_actor* self, std::shared_ptr<directory> names,
                        std::shared_ptr<const study> what, std::shared_ptr<const corpus> library,
                        node_key node, std::string model, weak_actor owner) {
  keep_exception_text(self);
  auto state = std::make_shared<study_session>(self, std::move(names), std::move(what), std::move(library),
                                               node, std::move(model), std::move(owner));
  self->set_down_handler([=](caf::down_msg&) {
    state->over({}, {failure_kind::cancelled, "whom it works for has ended", false});
  });
  return {
      [=](const agent_answer& a) { state->answer(a); },
      [=](const study_late&) { state->over({}, {failure_kind::timeout, "it took too long", false}); },
  };
}

} // namespace ke
