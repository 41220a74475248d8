#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace ke {

/// One thread for blocking work (reading a store, writing a file), in order of arrival. `post` does not
/// block; any thread. The destructor finishes the queue first. Work must not throw.
class work_thread {
public:
  work_thread() : thread_{[this] { loop(); }} {}
  ~work_thread() {
    {
      std::lock_guard lock{mutex_};
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  work_thread(const work_thread&) = delete;
  work_thread& operator=(const work_thread&) = delete;

  void post(std::function<void()> work) {
    {
      std::lock_guard lock{mutex_};
      queue_.push_back(std::move(work));
    }
    changed_.notify_all();
  }

  /// Blocks until all work posted before has ended.
  void wait() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] { return queue_.empty() && !busy_; });
  }

private:
  void loop() {
    std::unique_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [&] { return over_ || !queue_.empty(); });
      if (queue_.empty())
        return;
      auto work = std::move(queue_.front());
      queue_.pop_front();
      busy_ = true;
      lock.unlock();
      work();
      work = nullptr; // its captures end outside the lock, too
      lock.lock();
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false, over_ = false;
  std::thread thread_;
};

} // namespace ke
