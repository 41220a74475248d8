#pragma once

#include "runtime/core/model_settings.hpp"
#include "runtime/llm/open_calls.hpp"
#include "runtime/llm/provider_port.hpp"
#include "runtime/process/process_port.hpp"

namespace ke {

/// `command`: the user's own program, in our environment; prompt on stdin, answer on stdout. A nonzero exit
/// is a server_error with the first line of stderr. `done` runs on the process thread; do not destroy the
/// provider there.
class command_provider : public provider_port {
public:
  command_provider(process_port& processes, model_settings model, answer_recorder record);
  ~command_provider() override;

  std::uint64_t ask(ask_request request, std::function<void(raw_answer)> done) override;
  void cancel(std::uint64_t id) override;

private:
  process_port& processes_;
  model_settings model_;
  answer_recorder record_;
  open_calls open_;
};

} // namespace ke
