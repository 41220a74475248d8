#pragma once

#include "runtime/process/unique_fd.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ke {

/// One output stream of a child, read without blocking. Keeps the first `limit` bytes; reads and drops the
/// rest, so that a flood neither fills our memory nor blocks the child. One thread.
class capture {
public:
  capture(unique_fd pipe, std::uint64_t limit) : pipe_{std::move(pipe)}, limit_{limit} {}

  /// Reads at most a megabyte of what is there, so that no child starves the others. `heard` gets all of it,
  /// the dropped part too. Closes the pipe at the end.
  void read_some(const std::function<void(std::string_view)>& heard);

  int descriptor() const { return pipe_.get(); } ///< -1 once closed
  void close() { pipe_.reset(); }
  bool cut() const { return cut_; }
  std::string take() { return std::move(kept_); }

private:
  unique_fd pipe_;
  std::uint64_t limit_;
  std::string kept_;
  bool cut_ = false;
};

/// A child's standard input, written without blocking. `write_some` needs SIGPIPE blocked in its thread.
class feed {
public:
  feed(unique_fd pipe, std::string text, bool keep_open);

  /// Writes what fits. Closes the pipe when all is written (unless `keep_open`) or nobody reads any more.
  void write_some();

  int descriptor() const { return pipe_.get(); } ///< -1 once closed
  bool hungry() const { return pipe_ && written_ < text_.size(); }
  void close() { pipe_.reset(); }

private:
  unique_fd pipe_;
  std::string text_;
  std::size_t written_ = 0;
  bool keep_open_;
};

} // namespace ke
