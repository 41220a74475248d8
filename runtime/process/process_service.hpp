#pragma once

#include "runtime/process/process_port.hpp"

#include <memory>

namespace ke {

/// The one thread that owns child processes: poll over pidfds, pipes and an eventfd, no signal handlers.
///
/// A child ends with its own death, never with its output alone. Then whatever it left behind is killed, even
/// a grandchild that holds the pipe; the output is read; `done` is called last. The destructor kills what
/// still runs and calls every `done`; `done` and `on_output` must not destroy the service. Children die with
/// this thread.
class process_service final : public process_port {
public:
  process_service();
  ~process_service() override;

  std::uint64_t run(process_spec spec, std::function<void(process_exit)> done) override;
  void cancel(std::uint64_t id) override;
  void terminate(std::uint64_t id) override;

private:
  class loop;
  std::unique_ptr<loop> loop_;
};

} // namespace ke
