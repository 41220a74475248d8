#pragma once

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/caller.hpp"
#include "backends/judge/inputs.hpp"
#include "runtime/core/problem.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ke {

/// A task of the Python backends with what the judge adds: roles, weights' seed, truth, and the facts of a
/// KernelBench file. Fails as describe_kernelbench does.
result<judge_task> python_task(const judge_task& task);

/// Runs a KernelBench file in a process of its own and completes `task`: the problem's tensors, scalars and
/// workload, the arguments of the class, the order of a call, and whether there is a truth in double
/// precision. `invalid` with file and line if the file is no such problem.
status describe_kernelbench(judge_task& task, std::uint64_t seed);

/// Makes inputs by get_inputs() of a KernelBench file, in a process beyond a candidate's reach, each with a
/// fresh seed. One thread.
class input_maker {
public:
  explicit input_maker(const judge_task& task);

  /// Inputs of `count` slots, per tensor of the problem. A distribution other than `init` bends, value by
  /// value, tensors that have both signs, hence no limited domain, or may have them (driver.py asks the
  /// reference). `beyond` draws other masks, and other values for what is equal in each draw. Empty: nothing
  /// to bend.
  result<std::vector<std::vector<std::string>>> draw(std::size_t count, distribution d,
                                                     const bound_shapes& shapes, random_source& random);

  /// Gives one element the value of another one of its tensor: still a value of the problem's. In tensors of
  /// real numbers equal elements change together and zeros stay: they may be a structure. False: none may be
  /// changed alone (whole numbers that rise, or are the same in each draw).
  static bool perturb(const tensor_spec& t, std::string& bytes, random_source& random);

private:
  status start(const bound_shapes& shapes);

  const judge_task& task_;
  problem what_; ///< a seed in, the problem's inputs out
  bound_shapes shapes_;
  std::vector<std::size_t> tensors_; ///< of the problem, in the order of get_inputs()
  std::unique_ptr<caller> maker_;
};

} // namespace ke
