#pragma once

#include "runtime/llm/provider_port.hpp"

#include <memory>
#include <string>

namespace ke {

/// `spool`: a folder where a person or any program plays the model. A prompt appears as ID.prompt.md (written
/// aside, then renamed); its answer is taken when ID.answer.md is there (renamed into place, or closed after
/// writing; an empty file is not an answer yet) and the prompt beside it begins with the bytes that are asked
/// now: a foreign pair is left alone, with a warning. ID is ask_request::call. Waits for days and over
/// restarts: a prompt that is there is not written again, an answer that is there is taken at once, and
/// destruction leaves all files. `cancel` removes the prompt. No deadline unless the request has one:
/// timeout_s is not for people. One thread (inotify; the folder is also looked through every few seconds, for
/// file systems that tell nothing).
class spool_provider : public provider_port {
public:
  /// Makes the folder. Throws std::runtime_error, naming the folder, if it can't be made or watched.
  spool_provider(model_settings model, answer_recorder record);
  ~spool_provider() override;

  std::uint64_t ask(ask_request request, std::function<void(raw_answer)> done) override;
  void cancel(std::uint64_t id) override;

private:
  class loop;
  std::unique_ptr<loop> loop_;
};

} // namespace ke
