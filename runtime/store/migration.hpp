#pragma once

#include "runtime/core/result.hpp"
#include "runtime/store/environment.hpp"
#include "runtime/store/record.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ke {

/// One step: from schema `from` to the next one. `run` rewrites sealed rows, in the transaction that also
/// writes the new number. Returns an error number: 0, of LMDB, or of the system.
struct migration {
  std::uint32_t from = 0;
  std::function<int(transaction&)> run;
};

/// All steps of this program, in order (store.md says what each does).
const std::vector<migration>& migrations();

/// Brings the store of `identity` to schema `to`, one step and one transaction at a time, after a copy of the
/// data file to backup/schema-N.mdb. A kill at any moment leaves one of the schemas; the next owner goes on
/// from there. Updates `identity`. For the owner, with no transaction open. Fails: `internal` (no step from
/// this schema), or as store_failure.
status migrate(environment& env, store_identity& identity, std::uint32_t to,
               const std::vector<migration>& steps);

} // namespace ke
