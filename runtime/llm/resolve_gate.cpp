#include "runtime/llm/resolve_gate.hpp"

#include <algorithm>

namespace ke {

resolve_gate::place resolve_gate::enter(const std::string& host, std::uint64_t id, time_point now) {
  auto& n = names_[host];
  if (now < n.fresh_until)
    return place::go;
  if (n.led) {
    n.waiting.push_back(id);
    return place::wait;
  }
  n.led = true;
  return place::lead;
}

std::vector<std::uint64_t> resolve_gate::known(const std::string& host, time_point now) {
  auto& n = names_[host];
  n.led = false;
  n.fresh_until = now + keep_;
  std::vector<std::uint64_t> freed(n.waiting.begin(), n.waiting.end());
  n.waiting.clear();
  return freed;
}

std::vector<std::uint64_t> resolve_gate::failed(const std::string& host) {
  auto& n = names_[host];
  n.led = !n.waiting.empty();
  if (!n.led)
    return {};
  auto next = n.waiting.front();
  n.waiting.pop_front();
  return {next};
}

void resolve_gate::leave(const std::string& host, std::uint64_t id) {
  auto& waiting = names_[host].waiting;
  waiting.erase(std::remove(waiting.begin(), waiting.end(), id), waiting.end());
}

bool resolve_gate::needs_resolver(const std::string& host) {
  if (host.empty() || host == "localhost" || host.front() == '[')
    return false;
  return host.find_first_not_of("0123456789.") != std::string::npos;
}

} // namespace ke
