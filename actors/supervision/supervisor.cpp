#include "actors/supervision/supervisor.hpp"

#include "runtime/observe/log.hpp"

#include <memory>
#include <optional>
#include <random>

namespace ke {

/// Timers of a supervisor, fenced by the incarnation they were set for.
struct restart_now {
  std::string child; ///< empty: the rest_for_one round under way
  std::uint64_t incarnation;
};
struct grace_over {
  std::string child;
  std::uint64_t incarnation;
};

} // namespace ke

KE_MESSAGE(ke::restart_now)
KE_MESSAGE(ke::grace_over)

namespace ke {

std::string text_of(const caf::error& why) {
  if (!why)
    return "normal";
  // Text kept by keep_exception_text is the first element of the error's context.
  if (!why.context().empty() && why.context().match_element<std::string>(0))
    return why.context().get_as<std::string>(0);
  if (why.category() == caf::atom("exit"))
    return to_string(static_cast<caf::exit_reason>(why.code()));
  if (why.category() == caf::atom("system"))
    return to_string(static_cast<caf::sec>(why.code()));
  return "error " + std::to_string(why.code());
}

void log_child_failure(const std::string& child, const caf::error& why, std::chrono::nanoseconds delay) {
  log::error("supervisor", delay.count() < 0 ? "a child failed too often" : "a child failed",
             {{"child", child}, {"why", text_of(why)}});
}

namespace {

struct child {
  child_spec spec;
  restart_window window;
  caf::actor handle;              ///< null while it waits for its restart
  bool stopping = false;          ///< asked to end by us
  bool forget = false;            ///< stop_child: not started again
  std::optional<child_spec> next; ///< but this in its place, once it is down
};

/// The children in start order. At most one round of restarts is under way: `from_` marks its first child,
/// and a round begins when all children from there on are down.
class child_set {
public:
  child_set(caf::event_based_actor* self, std::vector<child_spec> specs, supervisor_options options)
      : self_{self}, options_{std::move(options)}, chance_{options_.seed} {
    for (auto& spec : specs)
      children_.push_back({std::move(spec), restart_window{options_.restarts}, nullptr});
    for (auto& c : children_)
      start(c);
  }

  void add(child_spec spec) {
    if (ending_)
      return;
    if (auto present = find(spec.name); present != children_.end()) {
      if (present->forget)
        present->next = std::move(spec);
      return;
    }
    children_.push_back({std::move(spec), restart_window{options_.restarts}, nullptr});
    start(children_.back());
  }

  void remove(const std::string& name) {
    auto c = find(name);
    if (c == children_.end())
      return;
    if (!c->handle) {
      children_.erase(c);
      return;
    }
    c->forget = true;
    ask_to_stop(*c);
  }

  void down(const caf::down_msg& msg) {
    auto c = std::find_if(children_.begin(), children_.end(),
                          [&](auto& x) { return x.handle && x.handle.address() == msg.source; });
    if (c == children_.end())
      return;
    auto asked = c->stopping;
    c->handle = nullptr;
    c->stopping = false;
    if (ending_)
      return stop_last();
    if (c->forget && c->next) {
      *c = child{std::move(*c->next), restart_window{options_.restarts}, nullptr};
      return start(*c);
    }
    if (c->forget) {
      children_.erase(c);
      return;
    }
    if (asked) // part of a rest_for_one round: the round's timer starts it
      return continue_round();
    auto normal = is_normal(msg.reason);
    if (c->spec.mode == restart_mode::temporary || (c->spec.mode == restart_mode::transient && normal)) {
      if (!normal && options_.on_failure)
        options_.on_failure(c->spec.name, msg.reason, std::chrono::nanoseconds{0});
      children_.erase(c);
      return;
    }
    start_later(*c, msg.reason);
  }

  /// Its window says when. Too many failures end this supervisor, too.
  void start_later(child& c, const caf::error& why) {
    auto delay = c.window.fail(self_->clock().now(), std::uniform_real_distribution<double>{}(chance_));
    if (options_.on_failure)
      options_.on_failure(c.spec.name, why, delay.value_or(std::chrono::nanoseconds{-1}));
    if (!delay)
      return stop(caf::make_error(caf::sec::runtime_error, options_.name + ": " + c.spec.name +
                                                               " failed too often, last: " + text_of(why)));
    if (options_.strategy == restart_strategy::one_for_one)
      return after(self_, *delay, restart_now{c.spec.name, 0});
    round_ = std::min(round_, static_cast<std::size_t>(&c - children_.data()));
    timer_fired_ = false;
    after(self_, *delay, restart_now{{}, ++incarnation_});
    continue_round();
  }

  void restart(const restart_now& timer) {
    if (ending_)
      return;
    if (!timer.child.empty()) {
      auto c = find(timer.child);
      if (c != children_.end() && !c->handle)
        start(*c);
    } else if (timer.incarnation == incarnation_) {
      timer_fired_ = true;
      continue_round();
    }
  }

  void overdue(const grace_over& g) {
    auto c = find(g.child);
    if (c != children_.end() && c->handle && c->stopping && g.incarnation == stops_of(*c))
      self_->send_exit(c->handle, caf::exit_reason::kill);
  }

  void stop(caf::error why) {
    if (ending_)
      return;
    ending_ = true;
    why_ = std::move(why);
    stop_last();
  }

private:
  std::vector<child>::iterator find(const std::string& name) {
    return std::find_if(children_.begin(), children_.end(), [&](auto& x) { return x.spec.name == name; });
  }

  void start(child& c) {
    c.handle = c.spec.start(self_);
    self_->monitor(c.handle);
  }

  std::uint64_t stops_of(const child& c) const { return c.handle ? c.handle.id() : 0; }

  void ask_to_stop(child& c) {
    c.stopping = true;
    self_->send_exit(c.handle, caf::exit_reason::user_shutdown);
    after(self_, c.spec.grace, grace_over{c.spec.name, stops_of(c)});
  }

  /// rest_for_one: those after the failed child end first, last one first; then, when its delay is over, all
  /// start again in order.
  void continue_round() {
    if (round_ >= children_.size())
      return;
    for (auto i = children_.size(); i-- > round_;)
      if (children_[i].handle) {
        if (!children_[i].stopping)
          ask_to_stop(children_[i]);
        return;
      }
    if (!timer_fired_)
      return;
    timer_fired_ = false;
    auto first = std::exchange(round_, none);
    for (auto i = first; i < children_.size(); ++i)
      if (!children_[i].handle)
        start(children_[i]);
  }

  /// One at a time: the next is asked to end when the down message of the last arrives.
  void stop_last() {
    while (!children_.empty() && !children_.back().handle)
      children_.pop_back();
    if (children_.empty())
      self_->quit(why_);
    else if (!children_.back().stopping)
      ask_to_stop(children_.back());
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  caf::event_based_actor* self_;
  supervisor_options options_;
  std::mt19937_64 chance_;
  std::vector<child> children_;
  std::size_t round_ = none; ///< first child of the restart round under way
  bool timer_fired_ = false;
  std::uint64_t incarnation_ = 0;
  bool ending_ = false;
  caf::error why_;
};

} // namespace

caf::behavior supervisor(caf::event_based_actor* self, std::vector<child_spec> specs,
                         supervisor_options options) {
  keep_exception_text(self);
  auto children = std::make_shared<child_set>(self, std::move(specs), std::move(options));
  self->set_exit_handler([=](caf::exit_msg& msg) { children->stop(std::move(msg.reason)); });
  self->set_down_handler([=](caf::down_msg& msg) { children->down(msg); });
  return {
      [=](start_child& add) { children->add(std::move(add.spec)); },
      [=](const stop_child& remove) { children->remove(remove.name); },
      [=](const restart_now& timer) { children->restart(timer); },
      [=](const grace_over& timer) { children->overdue(timer); },
  };
}

} // namespace ke
