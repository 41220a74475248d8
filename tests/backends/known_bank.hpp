#pragma once

#include "backends/judge/truth_bank.hpp"
#include "runtime/process/unique_fd.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

namespace ke_test {

/// A bank's file whose key is known, so that each run of the test draws the same.
struct known_bank {
  explicit known_bank(std::uint64_t key) {
    std::array<std::uint64_t, 3> head{key, sizeof head, ke::truth_bank::least_room};
    REQUIRE(write(file.get(), head.data(), sizeof head) == sizeof head);
    REQUIRE(for_a_judge()->key() == key);
  }
  std::shared_ptr<ke::truth_bank> for_a_judge() const {
    return std::make_shared<ke::truth_bank>(dup(file.get()));
  }

  ke::unique_fd file{memfd_create("bank", MFD_CLOEXEC)};
};

} // namespace ke_test
