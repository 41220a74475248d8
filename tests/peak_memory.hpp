#pragma once

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KE_MEMORY_IS_PADDED // freed memory stays in quarantine: what work takes cannot be told
#endif
#endif

namespace ke {

/// The most memory that this process has ever held at once.
inline std::size_t peak_resident_bytes() {
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;)
    if (std::size_t kilobytes = 0; word == "VmHWM:" && status >> kilobytes)
      return kilobytes << 10;
  return 0;
}

/// By how much `work` raises the peak of a process of its own, which a fork begins at what it has now. Its
/// results are lost. Under a sanitizer the work is done and nothing is measured: 0.
inline std::size_t peak_growth(const std::function<void()>& work) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto before = peak_resident_bytes();
    work();
    auto grown = peak_resident_bytes() - before;
#ifdef KE_MEMORY_IS_PADDED
    grown = 0;
#endif
    ::_exit(::write(ends[1], &grown, sizeof grown) == sizeof grown ? 0 : 1);
  }
  ::close(ends[1]);
  std::size_t grown = 0;
  auto got = ::read(ends[0], &grown, sizeof grown);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(got == sizeof grown);
  REQUIRE(status == 0);
  return grown;
}

} // namespace ke
