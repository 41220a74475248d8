#pragma once

#include "backends/backend.hpp"
#include "runtime/core/result.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace ke {

/// The Python of the backends with driver "python": KE_PYTHON, else .venv/bin/python beside or above this
/// program, else python3.
std::string python_program();

/// A warm Python process (fork_server.py of a backend's folder): it has imported torch and forks a sandboxed
/// process for whoever holds its socket. Owns the process and a thread that started it and waits for it; both
/// are gone when the destructor returns, and with this program in any case. All functions from any thread.
class python_parent {
public:
  /// Returns at once: importing torch takes seconds, and whoever asks for a fork first waits for it.
  /// `env` is what the backend's manifest adds to its environment. `missing` if there is no such Python or no
  /// such sandbox.
  static result<std::shared_ptr<python_parent>> start(const std::filesystem::path& folder,
                                                      const std::string& sandbox,
                                                      const std::map<std::string, std::string>& env = {});
  ~python_parent();
  python_parent(const python_parent&) = delete;
  python_parent& operator=(const python_parent&) = delete;

  int socket() const;      ///< to be given to ke-judge
  bool alive() const;      ///< false once the process has ended
  std::string log() const; ///< what it printed last, bounded

private:
  struct state;
  explicit python_parent(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

/// One warm parent for each backend, started when first asked for and again if it has ended. Any thread.
class python_parents {
public:
  result<std::shared_ptr<python_parent>> of(const backend& with, const std::string& sandbox);

private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<python_parent>> by_folder_;
};

} // namespace ke
