#include "actors/fleet/local_worker.hpp"

#include "runtime/observe/log.hpp"
#include "runtime/process/self_process.hpp"

namespace ke {

struct worker_exited {
  std::shared_ptr<process_exit> how;
};
struct start_worker {};
struct worker_is_late {};
struct worker_said_step {
  std::uint64_t start;
  std::string step;
};
struct worker_should_be_attached {
  std::uint64_t start;
  bool is_last; ///< patience is over
};

} // namespace ke

KE_MESSAGE(ke::worker_exited)
KE_MESSAGE(ke::start_worker)
KE_MESSAGE(ke::worker_is_late)
KE_MESSAGE(ke::worker_said_step)
KE_MESSAGE(ke::worker_should_be_attached)

namespace ke {

caf::behavior local_worker(caf::event_based_actor* self, local_worker_options options) {
  keep_exception_text(self);
  struct state {
    restart_window window;
    std::uint64_t child = 0;
    std::uint64_t starts = 0;
    std::string step; ///< the last one that this child named
    std::optional<caf::error> ending;
  };
  auto s = std::make_shared<state>(state{restart_window{options.restarts}, 0, 0, {}, std::nullopt});
  self->set_exit_handler([=](caf::exit_msg& msg) {
    if (!s->child)
      return self->quit(std::move(msg.reason));
    s->ending = std::move(msg.reason); // the worker ends its children and removes their folders first
    options.processes->terminate(s->child);
    after(self, std::chrono::seconds{3}, worker_is_late{});
  });
  self->send(self, start_worker{});
  return {
      [=](const worker_is_late&) {
        if (s->child)
          options.processes->cancel(s->child);
      },
      [=](const start_worker&) {
        if (s->ending)
          return;
        process_spec spec;
        spec.argv = options.argv;
        spec.env = child_environment();
        spec.keep_input_open = true;
        spec.output_limit = 64u << 10;
        auto me = weak(self);
        s->step.clear();
        spec.on_output = [me, start = ++s->starts, line = std::string{}](std::string_view bytes) mutable {
          for (char c : bytes)
            if (c == '\n')
              send_weak(me, worker_said_step{start, std::exchange(line, {})});
            else if (line.size() < 80)
              line += c;
        };
        after(self, options.attach_patience / 12, worker_should_be_attached{s->starts, false});
        after(self, options.attach_patience, worker_should_be_attached{s->starts, true});
        s->child = options.processes->run(std::move(spec), [me](process_exit e) {
          send_weak(me, worker_exited{std::make_shared<process_exit>(std::move(e))});
        });
      },
      [=](worker_said_step& said) {
        if (said.start == s->starts)
          s->step = std::move(said.step);
      },
      [=](const worker_should_be_attached& w) {
        if (!s->child || w.start != s->starts || s->step == steps_to_attach::attached)
          return;
        auto step = s->step.empty() ? std::string{"none"} : s->step;
        if (!w.is_last)
          return log::warn("local_worker", "the worker has not attached yet", {{"last_step", step}});
        log::error("local_worker", "the worker has not attached in time and is ended",
                   {{"seconds", std::to_string(options.attach_patience.count())}, {"last_step", step}});
        options.processes->cancel(s->child);
      },
      [=](const worker_exited& e) {
        s->child = 0;
        if (s->ending)
          return self->quit(std::move(*s->ending));
        auto said = e.how->why.kind != failure_kind::none ? e.how->why.text : e.how->err.substr(0, 2000);
        if (e.how->code == 3 && options.on_missing)
          options.on_missing({failure_kind::missing, said, false});
        auto delay = s->window.fail(self->clock().now());
        log::warn("local_worker", "the worker ended and is started again",
                  {{"code", std::to_string(e.how->code)},
                   {"signal", std::to_string(e.how->signal)},
                   {"said", said}});
        after(self, delay.value_or(options.restarts.period), start_worker{});
      },
  };
}

} // namespace ke
