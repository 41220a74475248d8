#include "runtime/net/zap.hpp"

#include "runtime/net/net_counters.hpp"
#include "runtime/observe/log.hpp"

#include <array>

namespace ke {

std::string user_id(const key_rights& rights) {
  return std::string{rights.worker ? "w" : ""} + (rights.client ? "c" : "") +
         (rights.client && rights.trusted ? "t" : "") + ":" + rights.name;
}

key_rights parse_user_id(const std::string& user) {
  key_rights out;
  auto colon = user.find(':');
  if (colon == std::string::npos)
    return out;
  auto rights = user.substr(0, colon);
  out.worker = rights.find('w') != std::string::npos;
  out.client = rights.find('c') != std::string::npos;
  out.trusted = out.client && rights.find('t') != std::string::npos;
  out.name = user.substr(colon + 1);
  return out;
}

status zap_handler::open(zmq::context& c) {
  if (auto s = ring_.check(); !s)
    return s;
  socket_ = zmq::socket{c, ZMQ_REP};
  socket_.set(ZMQ_LINGER, 0);
  return socket_.bind("inproc://zeromq.zap.01");
}

void zap_handler::turn() {
  while (auto question = socket_.receive(16)) {
    auto& p = question->parts; // version, request, domain, address, routing id, mechanism, key
    std::string request = p.size() > 1 ? p[1] : "";
    std::optional<key_rights> rights;
    if (p.size() == 7 && p[0] == "1.0" && p[2] == domain && p[5] == "CURVE" && p[6].size() == 32) {
      std::array<char, 41> key{};
      zmq_z85_encode(key.data(), reinterpret_cast<const std::uint8_t*>(p[6].data()), 32);
      rights = ring_.find(key.data());
      if (!rights)
        log::warn("net", "a key that is not authorized tried to attach",
                  {{"key", key.data()}, {"address", p[3]}});
    }
    if (!rights)
      ++net_counters::denied;
    socket_.send({"1.0", request, rights ? "200" : "400", rights ? "OK" : "this key is not authorized",
                  rights ? user_id(*rights) : "", ""});
  }
}

} // namespace ke
