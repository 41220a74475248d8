#pragma once

#include "backends/judge/secret_random.hpp"
#include "runtime/core/problem.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ke {

/// Plausible rubbish for outputs: the reference's results on other inputs, scaled at random and rotated anew
/// for each call. Neither look nor repetition tells a poisoned output from an old one.
class poison {
public:
  /// `samples`: output bytes per tensor of one call of the reference.
  poison(const problem& what, const std::vector<std::string>& samples, random_source& random);
  /// The place in the pool at which the next tensor's rubbish begins.
  std::size_t turn(std::size_t tensor, random_source& random) const;
  /// `bytes` (whole elements) of the tensor from its byte `at` on, for a tensor of `whole` bytes.
  void write(std::size_t tensor, std::size_t turn, std::size_t at, std::size_t whole, std::byte* to,
             std::size_t bytes, random_source& random) const;

  /// What it picks from, for a tensor.
  const std::string& pool(std::size_t tensor) const { return pool_[tensor]; }

private:
  const problem* what_;
  std::vector<std::string> pool_;
};

} // namespace ke
