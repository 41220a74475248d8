#include "runtime/observe/trace.hpp"

#include "runtime/text/json_text.hpp"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>

namespace ke::trace {
namespace {

/// The array form of the format. The file always ends in "\n]\n". A single write puts each event over that
/// end, with a new end. So a process killed between two events leaves valid JSON. (A kill inside the write
/// itself can cut one event short.)
class file_writer {
public:
  file_writer(std::FILE* file, time_point zero) : file_{file}, zero_{zero} {
    std::fputs(
        "[\n{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"ke-runtime\"}}",
        file_);
    end_ = std::ftell(file_);
    std::fputs(closing, file_);
    std::fflush(file_);
  }
  ~file_writer() { std::fclose(file_); }
  file_writer(const file_writer&) = delete;
  file_writer& operator=(const file_writer&) = delete;

  double micros(time_point t) const { return std::chrono::duration<double, std::micro>(t - zero_).count(); }

  /// The lane's thread number. The first event of a lane also announces the name.
  int lane(std::string_view name) {
    auto [found, fresh] = lanes_.emplace(std::string{name}, static_cast<int>(lanes_.size()) + 1);
    if (fresh)
      add("{\"ph\":\"M\",\"pid\":1,\"tid\":" + std::to_string(found->second) +
          ",\"name\":\"thread_name\",\"args\":{\"name\":" + json_text(name) + "}}");
    return found->second;
  }

  void add(const std::string& event) {
    auto text = ",\n" + event;
    std::fseek(file_, end_, SEEK_SET);
    end_ += static_cast<long>(text.size());
    text += closing;
    std::fwrite(text.data(), 1, text.size(), file_);
    std::fflush(file_);
  }

private:
  static constexpr const char* closing = "\n]\n";
  std::FILE* file_;
  time_point zero_;
  long end_ = 0;
  std::map<std::string, int, std::less<>> lanes_;
};

std::atomic<bool> active{false};
std::mutex lock;
std::unique_ptr<file_writer> writer; // guarded by `lock`

/// JSON has no infinity and no NaN: those become 0.
std::string fixed(double x) {
  char text[64];
  std::snprintf(text, sizeof text, std::fabs(x) < 1e15 ? "%.3f" : "%.17g", std::isfinite(x) ? x : 0.0);
  return text;
}

template <class Function>
void with_writer(Function f) {
  if (!on())
    return;
  std::lock_guard guard{lock};
  if (writer)
    f(*writer);
}

} // namespace

void start(const std::string& file) {
  std::lock_guard guard{lock};
  writer.reset();
  active = false;
  auto* handle = std::fopen(file.c_str(), "we");
  if (!handle)
    return;
  writer = std::make_unique<file_writer>(handle, std::chrono::steady_clock::now());
  active = true;
}

void stop() {
  std::lock_guard guard{lock};
  active = false;
  writer.reset();
}

bool on() {
  return active.load(std::memory_order_relaxed);
}

void span(std::string_view lane, std::string_view name, time_point begin, time_point end,
          std::string_view args_json) {
  with_writer([&](file_writer& w) {
    auto tid = w.lane(lane);
    w.add("{\"ph\":\"X\",\"pid\":1,\"tid\":" + std::to_string(tid) + ",\"name\":" + json_text(name) +
          ",\"ts\":" + fixed(w.micros(begin)) + ",\"dur\":" + fixed(w.micros(end) - w.micros(begin)) +
          ",\"args\":" + std::string{args_json} + "}");
  });
}

void counter(std::string_view name, double value) {
  with_writer([&](file_writer& w) {
    w.add("{\"ph\":\"C\",\"pid\":1,\"name\":" + json_text(name) + ",\"ts\":" +
          fixed(w.micros(std::chrono::steady_clock::now())) + ",\"args\":{\"value\":" + fixed(value) + "}}");
  });
}

} // namespace ke::trace
