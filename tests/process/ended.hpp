#pragma once

#include "runtime/process/process_port.hpp"
#include "runtime/process/spawn.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>

namespace ke {

/// A child's end, to be waited for with a bound.
class ended {
public:
  std::function<void(process_exit)> callback() const {
    return [p = promise_](process_exit e) { p->set_value(std::move(e)); };
  }
  process_exit get() {
    if (future_.wait_for(std::chrono::seconds{60}) != std::future_status::ready)
      throw std::runtime_error{"the child's end was not told within a minute"};
    return future_.get();
  }

private:
  std::shared_ptr<std::promise<process_exit>> promise_ = std::make_shared<std::promise<process_exit>>();
  std::future<process_exit> future_ = promise_->get_future();
};

inline process_exit run_to_end(process_port& port, process_spec spec) {
  ended e;
  port.run(std::move(spec), e.callback());
  return e.get();
}

/// A child that does not outlive its test, however that ends.
class running {
public:
  explicit running(const process_spec& spec) : child_{started(spec)} {}
  ~running() { kill_tree(child_); }
  running(running&&) = delete;
  child* operator->() { return &child_; }
  child& operator*() { return child_; }

private:
  static child started(const process_spec& spec) {
    auto c = spawn(spec);
    if (!c)
      throw std::runtime_error{c.error().text};
    return std::move(*c);
  }
  child child_;
};

inline process_spec command(std::vector<std::string> argv) {
  process_spec spec;
  spec.argv = std::move(argv);
  spec.env = {{"PATH", "/usr/bin:/bin"}};
  spec.deadline = std::chrono::seconds{30};
  return spec;
}

inline process_spec shell(std::string script) {
  return command({"/bin/sh", "-c", std::move(script)});
}

} // namespace ke
