#pragma once

#include "config/problem_file.hpp"

namespace ke {

/// Checks beyond a single key: names, bindings of the dims, shapes, formulas, roles. Appends to load.errors.
void check_problem(problem_load& load, const place_map& places, const std::string& file);

/// Whether the source defines the function that the judge calls (`extern "C" ... kernel(` or `def
/// reference(`). Comments do not count.
bool defines_reference(const std::string& source, const std::string& language);

/// Whether a Python source has this definition ("class Model", "def get_inputs") at a line's beginning.
bool defines_python(const std::string& source, const std::string& definition);

} // namespace ke
