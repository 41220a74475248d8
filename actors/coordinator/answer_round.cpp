#include "actors/coordinator/answer_round.hpp"

namespace ke {

struct round_look {};

} // namespace ke

KE_MESSAGE(ke::round_look)

namespace ke {
namespace {

constexpr std::chrono::milliseconds look_every{500};

} // namespace

caf::behavior answer_round(caf::event_based_actor* self, std::shared_ptr<directory> names,
                           address<> ends_with, round_options options) {
  keep_exception_text(self);
  if (auto owner = names->find(ends_with))
    self->link_to(owner.weak());
  struct state {
    round_options options;
    std::size_t missing;
    std::chrono::steady_clock::time_point until;
    bool over = false;
  };
  auto s = std::make_shared<state>();
  s->missing = options.parts;
  s->until = self->clock().now() + options.patience;
  s->options = std::move(options);
  auto end = [self, s](bool all) {
    if (std::exchange(s->over, true))
      return;
    s->options.done(all);
    self->quit();
  };
  if (s->missing == 0)
    self->send(self, round_look{});
  else
    after(self, std::min<std::chrono::nanoseconds>(s->options.patience, look_every), round_look{});
  return {
      [=](const round_part& p) {
        if (s->over)
          return;
        p.take();
        if (--s->missing == 0)
          end(true);
      },
      [=](const round_look&) {
        auto now = self->clock().now();
        if (s->missing == 0)
          return end(true);
        if (now >= s->until || (s->options.give_up && s->options.give_up()))
          return end(false);
        auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(s->until - now);
        after(self, std::min<std::chrono::nanoseconds>(left, look_every), round_look{});
      },
  };
}

} // namespace ke
