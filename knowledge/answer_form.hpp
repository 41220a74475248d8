#pragma once

#include "runtime/core/problem.hpp"

#include <string>

namespace ke {

/// What an answer to this problem must hold: the language of its fence ("cpp", "python"), and the name that
/// its source defines (`kernel`, or the class of a KernelBench problem).
struct answer_form {
  std::string language;
  std::string symbol;
};
answer_form answer_form_of(const problem& p);

} // namespace ke
