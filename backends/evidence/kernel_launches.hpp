#pragma once

#include <string>
#include <string_view>

namespace ke {

/// Which kernels a call launched, in words, as a prepared file of a Python backend noted them (`launched`, then lines
/// `launch COUNT PROGRAMS NAME`) in a profile's summary (torch_profile.hpp). It comes from the candidate's process,
/// which may have forged it: a hint for people, never a reason for a state. At most eight kernels, with plain names.
/// Empty: nobody took notes. Pure.
std::string launches_in(std::string_view summary);

} // namespace ke
