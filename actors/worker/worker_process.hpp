#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

struct worker_process_options {
  std::string endpoint, server_key, key, name, sandbox = "best", cache;
  std::vector<std::string> labels, backend_paths;
  std::uint32_t slots = 0;
  bool lifeline = false;
};

/// The life of a worker process: probes the devices, attaches, and works until SIGTERM (drains, exit 0), a
/// refusal (2) or the end of the lifeline.
///
///   root        rest_for_one
///   ├─ link
///   ├─ devices
///   └─ builder
///
/// Blocks. Exit code as in product.md; 3 if no backend can work here.
int run_worker(const worker_process_options& options);

} // namespace ke
