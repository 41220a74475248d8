#pragma once

#include "runtime/observe/counters.hpp"

namespace ke::net_counters {

/// The wire's counters, looked up once. Transports of one process share them.
inline auto& frames_in = counters::get("net.frames_in");
inline auto& frames_out = counters::get("net.frames_out");
inline auto& malformed = counters::get("net.malformed");       ///< undecodable, or out of place
inline auto& unknown_kind = counters::get("net.unknown_kind"); ///< of a later program: ignored
inline auto& impostors = counters::get("net.impostors");       ///< a routing id under another key
inline auto& refused = counters::get("net.refused");           ///< hellos and commands
inline auto& denied = counters::get("net.denied");             ///< keys, by the ZAP handler
inline auto& dropped = counters::get("net.dropped"); ///< frames to send, over a limit or outside a session
inline auto& lost = counters::get("net.lost");       ///< peers
inline auto& queue = counters::get("net.queue");     ///< gauge: frames that wait for the transport thread
inline auto& blob_bytes = counters::get("net.blob_bytes");   ///< of complete contents received
inline auto& blob_faults = counters::get("net.blob_faults"); ///< refused or damaged contents

} // namespace ke::net_counters
