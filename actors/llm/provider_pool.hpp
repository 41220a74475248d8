#pragma once

#include "runtime/core/model_settings.hpp"
#include "runtime/core/result.hpp"
#include "runtime/llm/provider_port.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// The connected models of a process. They belong to no actor: open calls are paid for, and a crash of the
/// synthesizer must not cancel them. Any thread.
class provider_pool {
public:
  using connector = std::function<result<std::unique_ptr<provider_port>>(const model_settings&)>;
  explicit provider_pool(connector connect) : connect_{std::move(connect)} {}

  /// The provider of that name with these settings, connected at first use. Lives until `close`, as do those
  /// with earlier settings: they may have open calls.
  result<provider_port*> get(const std::string& name, const model_settings& settings) {
    std::lock_guard lock{mutex_};
    for (const auto& p : providers_)
      if (p.name == name && p.settings == settings)
        return p.provider.get();
    auto made = connect_(settings);
    if (!made)
      return made.error();
    providers_.push_back({name, settings, std::move(*made)});
    return providers_.back().provider.get();
  }

  /// Cancels open calls and disconnects. Call it after the actors' end, before that of services and store.
  void close() {
    std::lock_guard lock{mutex_};
    providers_.clear();
  }

private:
  struct connected {
    std::string name;
    model_settings settings;
    std::unique_ptr<provider_port> provider;
  };
  connector connect_;
  std::mutex mutex_;
  std::vector<connected> providers_;
};

} // namespace ke
