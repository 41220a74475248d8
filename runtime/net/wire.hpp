#pragma once

#include "runtime/core/device_info.hpp"
#include "runtime/core/fields.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/result.hpp"
#include "runtime/net/transport_port.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ke {
struct job_result;
} // namespace ke

namespace ke::wire {

using ke::operator==; // for the structs below, wherever they are compared

/// Bytes from a peer are hostile until decoded. wire.md is the format; this is its vocabulary.
inline constexpr std::uint32_t magic = 0x4b45;
inline constexpr std::uint32_t version = 2; ///< the highest spoken here
inline constexpr std::uint32_t min_version = 1;
inline constexpr std::size_t max_body = 1u << 20;
inline constexpr std::size_t max_header = 128;
inline constexpr std::size_t max_part = max_body + 4096;
inline constexpr std::size_t blob_chunk_size = 64u << 10;
inline constexpr std::size_t blob_window = 4;

struct header {
  std::uint32_t magic = wire::magic;
  std::uint32_t version = wire::version;
  std::uint32_t kind = 0; ///< a number, not the enum: unknown kinds are ignored, not malformed
  std::uint64_t sequence = 0;
  std::uint64_t correlation = 0;
  std::uint64_t epoch = 0;
};
KE_FIELDS(header, x.magic, x.version, x.kind, x.sequence, x.correlation, x.epoch)

enum class lease_stage : std::uint8_t { queued, building, measuring, profiling };

/// One lease as a worker knows it.
struct lease_ref {
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0; ///< the epoch of the grant
  lease_stage stage = lease_stage::queued;
  std::string warrant = {}; ///< of the grant; in a hello, so that nobody need remember it
};
KE_FIELDS(lease_ref, x.job, x.attempt, x.epoch, x.stage, x.warrant)

struct hello_body {
  std::uint32_t min_version = wire::min_version;
  std::uint32_t max_version = wire::version;
  std::string name; ///< with CURVE, replaced by the authenticated name
  std::string boot; ///< random per process: tells reconnect from restart
  std::string program;
  std::vector<device_info> devices;
  std::uint32_t build_slots = 0;
  std::uint32_t device_slots = 0;
  std::map<std::string, std::string> labels;
  std::vector<lease_ref> held;   ///< results not yet acknowledged
  std::vector<lease_ref> leases; ///< running now
  bool simulated = false;
};
KE_FIELDS(hello_body, x.min_version, x.max_version, x.name, x.boot, x.program, x.devices, x.build_slots,
          x.device_slots, x.labels, x.held, x.leases, x.simulated)

struct welcome_body {
  std::uint32_t version = wire::version;
  std::uint64_t beat_ms = 2000;
  std::uint64_t lease_ms = 10'000;
  std::uint64_t epoch = 0;
  std::uint32_t blob_port = 0; ///< of TCP; 0: beside the ipc path
  std::string name;            ///< the coordinator's name for the worker
  std::string store;           ///< its store's id: only results of that one are for it
};
KE_FIELDS(welcome_body, x.version, x.beat_ms, x.lease_ms, x.epoch, x.blob_port, x.name, x.store)

struct refuse_body {
  std::string reason;
  bool retry = false;
};
KE_FIELDS(refuse_body, x.reason, x.retry)

struct ready_body {
  std::uint32_t build_slots = 0;
  std::uint32_t device_slots = 0;
};
KE_FIELDS(ready_body, x.build_slots, x.device_slots)

struct grant_body {
  ke::job job;
  std::uint64_t lease = 0;
  std::uint64_t deadline_ms = 0; ///< for the whole job, from receipt
  std::string device;            ///< the announced name chosen by placement
};
KE_FIELDS(grant_body, x.job, x.lease, x.deadline_ms, x.device)

struct decline_body {
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;
  std::string reason;
};
KE_FIELDS(decline_body, x.job, x.attempt, x.reason)

struct device_health {
  std::string name;
  std::string state = "ok"; ///< ok | quarantined
  std::string reason;
};
KE_FIELDS(device_health, x.name, x.state, x.reason)

struct worker_beat {
  std::vector<lease_ref> leases;
  std::vector<device_health> devices;
  std::uint32_t build_slots = 0; ///< free now, for display; credit is `ready`
  std::uint32_t device_slots = 0;
};
KE_FIELDS(worker_beat, x.leases, x.devices, x.build_slots, x.device_slots)

struct coordinator_beat {
  std::uint64_t epoch = 0;
  std::vector<lease_ref> revoked;
};
KE_FIELDS(coordinator_beat, x.epoch, x.revoked)

struct ack_body {
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;
};
KE_FIELDS(ack_body, x.job, x.attempt)

struct revoke_body {
  lease_ref lease;
  std::string reason;
};
KE_FIELDS(revoke_body, x.lease, x.reason)

struct want_body {
  std::string digest;
};
KE_FIELDS(want_body, x.digest)

struct blob_chunk {
  std::string digest;
  std::uint64_t size = 0; ///< of the whole
  std::uint64_t offset = 0;
  std::string bytes;
};
KE_FIELDS(blob_chunk, x.digest, x.size, x.offset, x.bytes)

struct blob_ack {
  std::string digest;
  std::uint64_t received = 0; ///< in order, so far
  bool refused = false;       ///< over a limit or not matching its digest: stop
};
KE_FIELDS(blob_ack, x.digest, x.received, x.refused)

struct command_body {
  std::string json;
};
KE_FIELDS(command_body, x.json)

struct answer_body {
  std::string json;
  std::int32_t exit_code = 0;
  bool last = true;
};
KE_FIELDS(answer_body, x.json, x.exit_code, x.last)

struct event_body {
  std::string json; ///< one line
};
KE_FIELDS(event_body, x.json)

/// The header's bytes for a frame in a session of version `spoken`.
std::string encode_header(const frame& f, std::uint32_t spoken = version);

enum class header_fault : std::uint8_t { none, malformed, other_version, unknown_kind };
struct decoded_header {
  header_fault fault = header_fault::none;
  header head;
};
/// Never throws, nor allocates more than the limits allow, whatever the bytes.
decoded_header decode_header(std::string_view bytes);

/// pack() of a result. Its untrusted log is cut, with a mark, to fit the body; facts are never cut.
std::string encode_result(job_result r);

/// The answers to one command; joined, their texts are the document. Each fits a frame; the last one carries
/// the exit code.
std::vector<frame> answer_frames(const std::string& peer, std::uint64_t correlation, std::string_view json,
                                 std::int32_t exit_code);

} // namespace ke::wire
