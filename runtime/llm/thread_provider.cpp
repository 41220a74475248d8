#include "runtime/llm/thread_provider.hpp"

#include <utility>

namespace ke {

thread_provider::thread_provider(answer_function answer, read_function read, answer_recorder record)
    : answer_{std::move(answer)}, read_{std::move(read)}, record_{std::move(record)},
      thread_{[this] { run(); }} {}

thread_provider::~thread_provider() {
  {
    std::lock_guard guard{mutex_};
    stopping_ = true;
    for (auto& call : waiting_)
      call.cancelled = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::uint64_t thread_provider::ask(ask_request request, std::function<void(raw_answer)> done) {
  std::uint64_t id = 0;
  {
    std::lock_guard guard{mutex_};
    id = ++last_;
    waiting_.push_back({id, std::move(request), std::move(done)});
  }
  changed_.notify_all();
  return id;
}

void thread_provider::cancel(std::uint64_t id) {
  std::lock_guard guard{mutex_};
  for (auto& call : waiting_)
    if (call.id == id)
      call.cancelled = true;
}

void thread_provider::run() {
  for (;;) {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty())
      return;
    auto call = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    serve(std::move(call));
  }
}

void thread_provider::serve(waiting_call call) {
  auto start = std::chrono::steady_clock::now();
  raw_answer answer;
  if (call.cancelled) {
    answer.why = {failure_kind::cancelled, "the request was cancelled", false};
  } else {
    answer = answer_(call.request);
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  answer.id = call.id;
  answer.call = call.request.call;
  if (record_)
    record_(answer);
  if (answer.why.kind == failure_kind::none) {
    answer.reply = read_(call.request, answer);
    answer.why = answer.reply.why;
  } else {
    answer.reply.why = answer.why;
  }
  call.done(std::move(answer));
}

} // namespace ke
