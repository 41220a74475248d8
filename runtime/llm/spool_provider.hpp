#pragma once

#include "runtime/core/model_settings.hpp"
#include "runtime/llm/provider_port.hpp"

#include <memory>
#include <string>

namespace ke {

/// `spool`: a folder where a person or any program plays the model. ID is ask_request::call. A prompt appears
/// as ID.prompt.md (written aside, then renamed). The answer is ID.answer.md, renamed into place or closed
/// after writing; an empty file is no answer yet. It is taken if the prompt beside it begins with the bytes
/// asked now; a foreign pair is left alone, with a warning. Waits for days and over restarts: writes no
/// prompt twice, takes a present answer at once; destruction leaves all files. `cancel` removes the prompt.
/// No deadline unless the request has one: timeout_s is not for people. One thread (inotify; also looks
/// through the folder every few seconds, for file systems that tell nothing).
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
