#pragma once

#include "runtime/core/journal_record.hpp"
#include "runtime/core/result.hpp"
#include "runtime/store/store_check.hpp"
#include "runtime/store/store_port.hpp"
#include "runtime/store/store_reader.hpp"
#include "runtime/store/store_service.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>

namespace ke {

/// A directory that goes with the test.
class temp_dir {
public:
  explicit temp_dir(const std::filesystem::path& within = std::filesystem::temp_directory_path()) {
    auto pattern = (within / "ke-store-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~temp_dir() {
    std::error_code error; // a mount that a failed test left stays
    std::filesystem::remove_all(path_, error);
  }
  temp_dir(const temp_dir&) = delete;
  temp_dir& operator=(const temp_dir&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

/// As the program does it, but by fork: a damaged file kills the child only.
inline status verify_in_child(const std::string& dir) {
  pid_t child = ::fork();
  if (child == 0) {
    // Not Catch2's handlers, nor a sanitizer's: this death is no failure of the test.
    for (int fatal : {SIGBUS, SIGSEGV, SIGABRT})
      ::signal(fatal, SIG_DFL);
    auto verified = verify_store(dir);
    ::_exit(verified ? 0 : 6);
  }
  int how = 0;
  ::waitpid(child, &how, 0);
  if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
    return ok;
  return failure{failure_kind::corrupt, WIFSIGNALED(how)
                                            ? "reading it ended by signal " + std::to_string(WTERMSIG(how))
                                            : std::string{"rows don't match their checksums"}};
}

inline store_options options_for(const std::string& dir) {
  store_options o;
  o.dir = dir;
  o.program = "0.1.0-test";
  o.verify = verify_in_child;
  o.retry_first = std::chrono::milliseconds{5};
  return o;
}

inline std::unique_ptr<store_service> open_store(const std::string& dir) {
  auto store = store_service::open(options_for(dir));
  if (!store)
    FAIL(store.error().text);
  return std::move(*store);
}

/// Blocks for an asynchronous answer, at most 20 s.
template <class T>
class awaited {
public:
  std::function<void(T)> callback() {
    return [state = state_](T x) { state->set_value(std::move(x)); };
  }
  T get() {
    auto future = state_->get_future();
    if (future.wait_for(std::chrono::seconds{20}) != std::future_status::ready)
      FAIL("no answer within 20 s");
    return future.get();
  }

private:
  std::shared_ptr<std::promise<T>> state_ = std::make_shared<std::promise<T>>();
};

inline status write(store_service& store, store_batch batch) {
  awaited<status> done;
  store.write(std::move(batch), done.callback());
  return done.get();
}

inline result<std::string> read(store_service& store, table where, std::string key) {
  awaited<result<std::string>> done;
  store.read(where, std::move(key), done.callback());
  return done.get();
}

inline result<std::string> read_blob(store_service& store, std::string digest) {
  awaited<result<std::string>> done;
  store.read_blob(std::move(digest), done.callback());
  return done.get();
}

/// How many records the journal has, if it has no gap.
inline std::uint64_t journal_length(const store_reader& reader, std::uint32_t campaign) {
  std::uint64_t count = 0;
  auto whole =
      reader.journal(campaign, 0, [&](std::uint64_t, const journal_record&) { return ++count, true; });
  if (!whole)
    FAIL(whole.error().text);
  return count;
}

inline store_batch batch_of(table where, std::string key, std::string value) {
  store_batch b;
  b.put(where, std::move(key), std::move(value));
  return b;
}

/// Bytes that do not compress, the same for the same seed.
inline std::string noise(std::size_t size, unsigned seed = 1) {
  std::mt19937 generator{seed};
  std::string bytes(size, '\0');
  for (auto& b : bytes)
    b = static_cast<char>(generator());
  return bytes;
}

} // namespace ke
