#include "runtime/core/job_result.hpp"
#include "runtime/net/wire.hpp"
#include "runtime/net/wire_body.hpp"

#include <cstdlib>

namespace {

/// Decodes, and what was accepted must survive a round trip.
template <class T>
void body(std::string_view bytes) {
  if (auto x = ke::wire::decode<T>(bytes))
    if (auto again = ke::unpack<T>(ke::pack(*x)); !again || !(*again == *x))
      std::abort();
}

} // namespace

/// Any bytes as a frame's header and as the body of every kind.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)ke::wire::decode_header(bytes);
  body<ke::wire::hello_body>(bytes);
  body<ke::wire::grant_body>(bytes);
  body<ke::wire::worker_beat>(bytes);
  body<ke::wire::coordinator_beat>(bytes);
  body<ke::wire::decline_body>(bytes);
  body<ke::wire::blob_chunk>(bytes);
  body<ke::wire::command_body>(bytes);
  (void)ke::wire::decode<ke::job_result>(bytes); // holds floating point: NaN is not equal to itself
  return 0;
}
