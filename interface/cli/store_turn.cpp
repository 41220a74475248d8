#include "interface/cli/store_turn.hpp"

#include "runtime/store/owner_lock.hpp"

#include <iostream>
#include <memory>
#include <thread>
#include <utility>

namespace ke::cli {

moment moments_within(std::chrono::seconds patience, const std::string& dir) {
  constexpr std::chrono::milliseconds nap{20};
  auto told = std::make_shared<bool>(false);
  auto end = std::chrono::steady_clock::now() + patience;
  return [=] {
    if (std::chrono::steady_clock::now() >= end)
      return false;
    if (!std::exchange(*told, true))
      std::cerr << "ke-runtime: another command holds the store " << dir << "; waiting for it, up to "
                << patience.count() << " s" << std::endl;
    std::this_thread::sleep_for(nap);
    return true;
  };
}

bool passes_soon(const failure& why, const std::string& dir) {
  if (why.kind != failure_kind::held)
    return false;
  auto holder = read_owner_record(dir);
  return !holder || holder->closed || holder->socket.empty();
}

failure still_held(const std::string& dir) {
  auto holder = read_owner_record(dir);
  auto who = holder && !holder->closed ? "process " + std::to_string(holder->pid) + " on host " + holder->host
                                       : std::string{"another command"};
  return {failure_kind::held,
          "the store " + dir + " is still held by " + who + ": try again when that has ended"};
}

} // namespace ke::cli
