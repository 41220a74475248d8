#pragma once

#include "backends/judge_task.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// What a forked Python process is to be (backends/torch-cpu/driver.py).
enum class python_role : std::uint8_t {
  candidate,
  reference,
  baseline,  ///< what candidates are timed against, where that is another one than the reference
  truth,     ///< the reference in double precision
  nothing,   ///< the floor of the path
  describe,  ///< says what tensors a KernelBench file has
  maker,     ///< makes its inputs
  generator, ///< makes those of a problem with a generator
  operators  ///< tells the names of PyTorch's operators, at the start of the memory; runs no source
};

/// Whether the problem is a KernelBench file, whose tensors only Python knows.
bool is_kernelbench(const problem& what);

/// The text that the process reads. Pure. `seed`: of weights and of what else is drawn while loading.
std::string python_payload(const judge_task& task, python_role role, std::uint64_t seed,
                           const std::vector<int>& cpus);

} // namespace ke
