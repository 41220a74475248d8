#pragma once

#include "backends/judge/caller.hpp"
#include "runtime/core/problem.hpp"

#include <string>
#include <vector>

namespace ke {

/// Would the problem's own check accept a wrong answer? Each fake result must be rejected by at least one
/// case, else every verdict on the problem is worthless (trust.md 2.4). Pure.
class admission {
public:
  explicit admission(const problem& what) : what_{&what} {}

  /// One case as the candidate meets it, with what the reference answered.
  void add(const bank_slot& slot, const std::vector<std::string>& reference);

  /// Why the problem is unfit; empty if it is fit, or if nothing was added.
  std::string verdict() const;

private:
  enum fake { zeros, mean, previous, input_copy, rotated, fakes };
  const problem* what_;
  bool tried_[fakes] = {};
  bool rejected_[fakes] = {};
  std::vector<std::string> last_;
};

} // namespace ke
