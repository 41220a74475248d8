#pragma once

#include "runtime/llm/provider_port.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace ke {

/// A model that is a function in this process, called on one thread of the provider, in order of asking. For
/// `playbook` and `replay`.
class thread_provider : public provider_port {
public:
  /// The raw answer of one call: `body`, or `why` if there is none. `read` turns a raw answer into a `reply`.
  using answer_function = std::function<raw_answer(const ask_request&)>;
  using read_function = std::function<completion(const ask_request&, const raw_answer&)>;

  thread_provider(answer_function answer, read_function read, answer_recorder record);
  ~thread_provider() override;

  std::uint64_t ask(ask_request request, std::function<void(raw_answer)> done) override;
  /// A running call is not interrupted: it takes milliseconds.
  void cancel(std::uint64_t id) override;

private:
  struct waiting_call {
    std::uint64_t id;
    ask_request request;
    std::function<void(raw_answer)> done;
    bool cancelled = false;
  };
  void run();
  void serve(waiting_call call);

  answer_function answer_;
  read_function read_;
  answer_recorder record_;
  std::mutex mutex_; ///< guards the four below
  std::condition_variable changed_;
  std::deque<waiting_call> waiting_;
  std::uint64_t last_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

} // namespace ke
