#pragma once

#include "runtime/core/problem.hpp"

#include <map>
#include <string>

namespace ke {

/// A problem as files, to be read back by `load_problem`; give it `main`. Names contain no folders.
struct problem_folder {
  std::string main; ///< "problem.toml", or a KernelBench file
  std::map<std::string, std::string> files;
};

/// The whole problem: every key, the reference, the generator, the initialisers. Read back it has the same
/// digest, unless an initialiser lay in a folder of its own: that gets another name. Leaves out a baseline
/// (runtime/core/baseline.hpp): no problem file names one. Pure.
problem_folder folder_of(const problem& what);

} // namespace ke
