#pragma once

#include <map>
#include <string>
#include <string_view>

namespace ke {

/// What a compiler said of code that nothing here has run: lines `static.ARCHITECTURE.KERNEL.WHAT = NUMBER`, as of
/// backends/triton/compile.py, `registers` of a thread, say. They come from a process with the candidate's own code, so any of them may
/// be forged: names of other counters are left out, and numbers that are none. At most 1024. Pure.
std::map<std::string, double> static_metrics(std::string_view text);

} // namespace ke
