#include "backends/device/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ke {
namespace {

/// Threads that wait for work: one that is made for each piece costs more than the piece.
class crew {
public:
  explicit crew(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
      threads_.emplace_back([this, i] { serve(i + 1); });
  }
  ~crew() {
    {
      std::lock_guard lock{mutex_};
      over_ = true;
    }
    begun_.notify_all();
    for (auto& one : threads_)
      one.join();
  }
  crew(const crew&) = delete;
  crew& operator=(const crew&) = delete;

  /// Calls work(part) for each part, the first on this thread. At most one more part than there are threads.
  void run(std::size_t parts, const std::function<void(std::size_t part)>& work) {
    {
      std::lock_guard lock{mutex_};
      work_ = &work;
      parts_ = parts;
      left_ = parts - 1;
      ++turn_;
    }
    begun_.notify_all();
    work(0);
    std::unique_lock lock{mutex_};
    ended_.wait(lock, [this] { return left_ == 0; });
    work_ = nullptr;
  }

private:
  void serve(std::size_t part) {
    std::unique_lock lock{mutex_};
    for (std::uint64_t seen = 0;;) {
      begun_.wait(lock, [&] { return over_ || turn_ != seen; });
      if (over_)
        return;
      seen = turn_;
      if (part >= parts_ || !work_)
        continue;
      const auto& work = *work_;
      lock.unlock();
      work(part);
      lock.lock();
      if (--left_ == 0)
        ended_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  const std::function<void(std::size_t)>* work_ = nullptr; ///< null: nothing is to do
  std::size_t parts_ = 0, left_ = 0;
  std::uint64_t turn_ = 0;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

std::size_t allowed = 1; ///< written by the judge's one thread before it shares any work
std::unique_ptr<crew> others;
std::atomic<bool> busy = false; ///< they are at work

} // namespace

void allow_threads(std::size_t most) {
  others.reset(); // new ones run where this thread may run now
  allowed = std::max<std::size_t>(most, 1);
}

std::size_t allowed_threads() {
  return allowed;
}

void side_by_side(std::size_t n, std::size_t least,
                  const std::function<void(std::size_t from, std::size_t to)>& work) {
  auto parts = std::clamp<std::size_t>(n / std::max<std::size_t>(least, 1), 1, allowed);
  auto begin_of = [&](std::size_t part) { return n / parts * part + std::min(part, n % parts); };
  if (parts == 1 || busy.exchange(true)) // work within work has no others
    return work(0, n);
  if (!others)
    others = std::make_unique<crew>(allowed - 1);
  others->run(parts, [&](std::size_t part) { work(begin_of(part), begin_of(part + 1)); });
  busy = false;
}

} // namespace ke
