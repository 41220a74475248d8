#pragma once

#include "backends/evaluation/backend.hpp"
#include "runtime/core/result.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ke {

/// The Python for backends with driver "python": KE_PYTHON, else .venv/bin/python beside or above this
/// program, else python3.
std::string python_program();

/// The files of a warm Python process, with absolute paths.
struct python_files {
  std::filesystem::path folder;               ///< of fork_server.py, driver.py and what these import
  std::vector<std::filesystem::path> prepare; ///< files that it runs before it forks, in this order
};
python_files python_files_of(const backend& with);

/// What its forks may see of a device. Empty, of a target without one: they work on this host.
struct parent_device {
  std::string uuid, node, library; ///< as device_facts has them
};
parent_device parent_device_of(const device_info& target);

/// A warm Python process (fork_server.py): has imported torch, and forks a sandboxed process for any holder
/// of its socket. Owns the process and the thread that started it and waits for it;
/// both end in the destructor, and with this program in any case. Any thread.
class python_parent {
public:
  /// Returns at once; importing torch takes seconds, and the first fork waits for it. `env`: the manifest's
  /// additions to its environment. `missing`: no such Python, or no such sandbox.
  static result<std::shared_ptr<python_parent>> start(const python_files& files, const std::string& sandbox,
                                                      const std::map<std::string, std::string>& env = {},
                                                      const parent_device& device = {});
  ~python_parent();
  python_parent(const python_parent&) = delete;
  python_parent& operator=(const python_parent&) = delete;

  int socket() const;      ///< to be given to ke-judge
  bool alive() const;      ///< false once the process has ended
  std::string log() const; ///< its last output, bounded

private:
  struct state;
  explicit python_parent(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

/// One warm parent per backend and device, started when first asked for, and again after its end. Any thread.
class python_parents {
public:
  result<std::shared_ptr<python_parent>> of(const backend& with, const std::string& sandbox,
                                            const parent_device& device = {});

private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<python_parent>> by_folder_;
};

} // namespace ke
