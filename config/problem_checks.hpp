#pragma once

#include "config/problem_file.hpp"

namespace ke {

/// What no single key can tell: names, bindings of the dims, shapes, formulas, roles. Appends to load.errors.
void check_problem(problem_load& load, const place_map& places, const std::string& file);

/// Does the source define the function that the judge calls (`extern "C" ... kernel(` or `def reference(`)?
/// Comments do not count.
bool defines_reference(const std::string& source, const std::string& language);

/// Does a Python source have this definition ("class Model", "def get_inputs") at the beginning of a line?
bool defines_python(const std::string& source, const std::string& definition);

} // namespace ke
