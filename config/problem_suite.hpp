#pragma once

#include "config/problem_file.hpp"
#include "runtime/core/names.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

// Many problems under one name: what `suite run` and `suite list` take. Read-only; any thread.

enum class suite_kind : std::uint8_t { kernelbench, kb_small, folder };
KE_NAMES(suite_kind, 3, "kernelbench", "kb-small", "folder")

struct suite_problem {
  std::string name; ///< "level1/23_Softmax": where it lies below the suite's folder, without ".py"
  std::string path; ///< absolute: a KernelBench file, or a folder with problem.toml
};

struct suite {
  std::string name; ///< as it was asked for
  suite_kind kind = suite_kind::folder;
  std::vector<suite_problem> problems; ///< by folder, then by number, then by letters
};

/// `kernelbench:PATH`: the files NN_NAME.py in the folders level1 to level4 of PATH. `kb-small:PATH`: the same
/// files with smaller sizes. Else a folder: each folder below it with a problem.toml, and each other .py file
/// whose name does not begin with "_" or ".". Problems are listed, not read. `invalid`, with what to do: no
/// such suite or folder, or it holds no problem.
result<suite> find_suite(const std::string& name);

/// Those whose name has all words of one of `filters`, upper or lower case; all of them if there is no filter.
/// Words are parts of names, separated by blanks: "level1 softmax". Pure.
std::vector<suite_problem> filtered(const std::vector<suite_problem>& all,
                                    const std::vector<std::string>& filters);

/// One of its problems. Of `kb-small` with smaller sizes and "-small" behind its name, so that nothing that is
/// known of one is taken for the other. Of a file that can't be read the error names the file.
problem_load load_suite_problem(suite_kind kind, const suite_problem& what);

/// Source of a KernelBench file in which the sizes are smaller: in the file's own constants (assignments at the
/// beginning of a line, of whole numbers, their products and lists) each number over 64 is halved while it is
/// even and over 64. So what was equal stays equal, and multiples of powers of two mostly stay so. A file whose
/// sizes hang together otherwise fails when it is admitted. Pure.
std::string with_smaller_sizes(const std::string& source);

} // namespace ke
