#pragma once

#include "runtime/core/verdict_state.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace ke {

// Before a model is paid for a problem, the reference is judged as its own candidate: what fails then would
// fail with every candidate. Pure.

/// What the verdict on the reference says of the problem.
enum class admission_fate : std::uint8_t {
  admitted, ///< candidates can be judged
  machine,  ///< nothing: this machine could not judge, now
  refused   ///< no candidate can be right, or none could be told from rubbish
};

/// Noisy and compiled are admitted: they leave no more open than they would of candidates. A policy violation
/// is admitted too, because the policy does not bind the reference. It binds a baseline (`bound`): what
/// breaks it is not measured to the end.
constexpr admission_fate admission_of(verdict_state s, bool bound = false) {
  if (s == verdict_state::policy_violation && bound)
    return admission_fate::refused;
  switch (s) {
  case verdict_state::correct:
  case verdict_state::noisy:
  case verdict_state::compiled:
  case verdict_state::policy_violation:
    return admission_fate::admitted;
  case verdict_state::harness_error:
    return admission_fate::machine;
  default:
    return admission_fate::refused;
  }
}

/// Measurements in a row that must say so before a problem is refused: one may be bad luck with the inputs.
inline constexpr unsigned admission_tries = 2;

/// Pause of a machine that could not judge, after `rests` earlier ones.
constexpr std::chrono::seconds admission_rest(unsigned rests) {
  constexpr std::chrono::seconds first{10}, most{300};
  return rests < 5 ? std::min(first * (1 << rests), most) : most;
}

/// Text for people about a refused problem: where it is, what is wrong, and that nothing was paid.
std::string refusal_text(const std::string& problem_path, const std::string& why);

} // namespace ke
