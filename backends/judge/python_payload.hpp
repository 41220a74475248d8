#pragma once

#include "backends/evidence/judge_task.hpp"
#include "runtime/core/problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// The role of a forked Python process (backends/torch-cpu/driver.py).
enum class python_role : std::uint8_t {
  candidate,
  reference,
  baseline,  ///< what candidates are timed against, if not the reference
  truth,     ///< the reference in double precision
  nothing,   ///< the floor of the path
  describe,  ///< says what tensors a KernelBench file has
  maker,     ///< makes a KernelBench file's inputs
  generator, ///< makes inputs by a problem's generator
  operators  ///< writes the names of PyTorch's operators to the start of the memory; runs no source
};

/// Whether the problem is a KernelBench file: only Python knows its tensors.
bool is_kernelbench(const problem& what);

/// Whether the truth's process has the tensor in double precision. Not bf16, which it keeps as it is; of eight
/// bits results alone: PyTorch hardly computes in them, so references say themselves what an input becomes.
bool is_wider_in_python(const tensor_spec& t);

/// The text for the process. Pure. `seed`: of weights, and of other draws while loading.
std::string python_payload(const judge_task& task, python_role role, std::uint64_t seed,
                           const std::vector<int>& cpus);

} // namespace ke
