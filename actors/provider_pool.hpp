#pragma once

#include "runtime/core/result.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/llm/provider_port.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace ke {

/// The connected models of a process. They belong to no actor: what they have out is paid for, and a
/// synthesizer that crashes must not cancel it. Any thread.
class provider_pool {
public:
  using connector = std::function<result<std::unique_ptr<provider_port>>(const model_settings&)>;
  explicit provider_pool(connector connect) : connect_{std::move(connect)} {}

  /// The provider of that name, connected at its first use. It lives until `close`.
  result<provider_port*> get(const std::string& name, const model_settings& settings) {
    std::lock_guard lock{mutex_};
    if (auto p = providers_.find(name); p != providers_.end())
      return p->second.get();
    auto made = connect_(settings);
    if (!made)
      return made.error();
    return providers_.emplace(name, std::move(*made)).first->second.get();
  }

  /// Cancels what is out and disconnects: after the actors have ended, before the services and the store do.
  void close() {
    std::lock_guard lock{mutex_};
    providers_.clear();
  }

private:
  connector connect_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<provider_port>> providers_;
};

} // namespace ke
