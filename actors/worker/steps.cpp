#include "actors/worker/steps.hpp"

namespace ke {

caf::behavior evaluation_step(caf::event_based_actor* self, caf::actor parent, process_port* processes,
                              assignment_ptr item, std::shared_ptr<started_step> what) {
  keep_exception_text(self);
  auto running = std::make_shared<std::uint64_t>(0);
  self->set_exit_handler([=](caf::exit_msg& msg) {
    if (*running)
      processes->cancel(*running);
    self->quit(std::move(msg.reason));
  });
  self->send(self, begin_steps{});
  return {
      [=](const begin_steps&) {
        auto me = weak(self);
        *running = processes->run(std::move(what->spec), [me](process_exit how) {
          send_weak(me, child_exited{std::make_shared<process_exit>(std::move(how))});
        });
      },
      [=](const child_exited& e) {
        self->send(parent, step_process_ended{item, what->id, e.how});
        self->quit();
      },
  };
}

} // namespace ke
