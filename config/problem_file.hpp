#pragma once

#include "config/file_context.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"
#include "runtime/toml/config_error.hpp"
#include "runtime/toml/schema.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// `problem` is complete if `errors` is empty.
struct problem_load {
  ke::problem problem;
  std::vector<config_error> errors; ///< exit code 2
};

/// The bytes of a file named in the problem, by absolute path; at most `limit`.
using file_reader = std::function<result<std::string>(const std::string& path, std::size_t limit)>;

/// Reads problem.toml with its reference and initialisers and checks all of it: every error at once. Pure,
/// except for `read`.
problem_load parse_problem(std::string_view text, const file_context& context, const file_reader& read);

/// For `[problem] path` and the command line: a problem.toml, a folder with one, or a KernelBench file (.py).
/// Refuses `aten:` names in a sentence of their own.
problem_load load_problem(const std::string& path);

/// A KernelBench file: class Model, get_inputs(), get_init_inputs(). Only Python knows the tensors, when it
/// is judged, so the problem has none; one workload, "default".
problem_load load_kernelbench(const std::string& path);

/// The file from disk: a regular file of at most `limit` bytes.
result<std::string> read_named_file(const std::string& path, std::size_t limit);

/// Files that problem.toml names, where a problem has text.
struct problem_paths {
  std::string reference, generator; ///< no generator: empty
};

/// All keys of problem.toml bound to `into`, except the files of `paths`.
schema problem_schema(ke::problem& into, problem_paths& paths);

/// Every key with documentation, as TOML.
std::string problem_reference_text();

/// The extents of a tensor for one binding of the symbols. `invalid`: a dimension has no value or is
/// negative, or the tensor exceeds 2^40 elements.
result<std::vector<std::int64_t>> tensor_extents(const tensor_spec& tensor,
                                                 const std::map<std::string, std::int64_t>& dims);

} // namespace ke
