#include "runtime/net/wire.hpp"

#include "runtime/core/job_result.hpp"
#include "runtime/net/wire_body.hpp"

namespace ke::wire {

std::string encode_header(const frame& f, std::uint32_t spoken) {
  header h;
  h.version = spoken;
  h.kind = static_cast<std::uint32_t>(f.kind);
  h.sequence = f.sequence;
  h.correlation = f.correlation;
  h.epoch = f.epoch;
  return pack(h);
}

decoded_header decode_header(std::string_view bytes) {
  decoded_header out;
  auto head = unpack<header>(bytes, decode_limits{max_header, 32, 2});
  if (!head || head->magic != magic) {
    out.fault = header_fault::malformed;
    return out;
  }
  out.head = *head;
  if (head->version < min_version || head->version > version)
    out.fault = header_fault::other_version;
  else if (head->kind >= names_of<frame_kind>::value.size() ||
           names_of<frame_kind>::value[head->kind].empty())
    out.fault = header_fault::unknown_kind;
  return out;
}

std::string encode_result(job_result r) {
  static constexpr std::string_view mark = "\n[log cut to fit the wire]\n";
  auto bytes = pack(r);
  while (bytes.size() > max_body && !r.found.log.empty()) {
    auto over = bytes.size() - max_body + mark.size();
    r.found.log.resize(r.found.log.size() > over ? r.found.log.size() - over : 0);
    if (!r.found.log.empty())
      r.found.log += mark;
    bytes = pack(r);
  }
  return bytes;
}

std::vector<frame> answer_frames(const std::string& peer, std::uint64_t correlation, std::string_view json,
                                 std::int32_t exit_code) {
  constexpr std::size_t piece = max_body / 2;
  std::vector<frame> out;
  do {
    auto text = json.substr(0, piece);
    json.remove_prefix(text.size());
    answer_body body{std::string{text}, json.empty() ? exit_code : 0, json.empty()};
    out.push_back(make_frame(peer, frame_kind::answer, body, correlation));
  } while (!json.empty());
  return out;
}

} // namespace ke::wire
