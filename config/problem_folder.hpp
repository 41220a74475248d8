#pragma once

#include "runtime/core/problem.hpp"

#include <map>
#include <string>

namespace ke {

/// A problem as files that `load_problem` reads back: `main` names the one to give it. Names have no folders
/// in them.
struct problem_folder {
  std::string main; ///< "problem.toml", or a KernelBench file
  std::map<std::string, std::string> files;
};

/// The problem whole: every key, the reference, the generator, the initialisers. Read back it is the same
/// problem with the same digest, unless an initialiser lay in a folder of its own: that gets another name. A
/// baseline that it carries (runtime/core/baseline.hpp) is left out: no problem file names one. Pure.
problem_folder folder_of(const problem& what);

} // namespace ke
