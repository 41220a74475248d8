#include "backends/evaluation/step_readers.hpp"
#include "backends/evidence/call_trace.hpp"
#include "backends/profile/loop_ticks.hpp"
#include "runtime/core/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

/// Any bytes as what a candidate's process printed, and as a module of LLVM IR: finite counters, short
/// findings, traces that obey the common schema, loops that a table can hold.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string_view text{reinterpret_cast<const char*>(data), size};
  for (auto kind : {ke::job_kind::profile, ke::job_kind::collect, ke::job_kind::trace})
    for (const auto& name : ke::job_reader_names(kind)) {
      auto found = ke::find_job_reader(kind, name)(text);
      for (const auto& [key, value] : found.counters)
        if (!std::isfinite(value) || key.size() > 120)
          std::abort();
      ke::evidence e;
      e.findings = found.findings;
      auto lines = std::count(e.findings["trace"].begin(), e.findings["trace"].end(), '\n');
      if (static_cast<std::size_t>(lines) != ke::call_spans(e).size() ||
          found.findings["loops"].size() > 2000)
        std::abort();
    }
  auto module = ke::insert_ticks(text);
  for (const auto& l : module.loops)
    if (!ke::is_plain_name(l.function) || l.depth < 1)
      std::abort();
  return module.loops.size() > 200 ? (std::abort(), 0) : 0;
}
