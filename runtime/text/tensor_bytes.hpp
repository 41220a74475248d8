#pragma once

namespace ke {

struct problem;
struct workload;

/// Bytes that a call moves at least: of each input read once and of each output written once. A size that can't be
/// evaluated counts 0. Any thread.
double tensor_bytes(const problem& what, const workload& w);

} // namespace ke
