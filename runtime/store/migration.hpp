#pragma once

#include "runtime/core/result.hpp"
#include "runtime/store/environment.hpp"
#include "runtime/store/record.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ke {

/// One step forward: from schema `from` to the next one. `run` rewrites rows inside the transaction that also
/// writes the new number, and returns an error number: 0, of LMDB, or of the system. Rows are sealed.
struct migration {
  std::uint32_t from = 0;
  std::function<int(transaction&)> run;
};

/// All steps of this program, in order. Schema 1 is the first, so there is none yet.
const std::vector<migration>& migrations();

/// Brings the store of `identity` to schema `to`, one step and one transaction at a time, after its data file
/// was copied to backup/schema-N.mdb. A kill at any moment leaves a store of one of the schemas, and the next
/// owner goes on from there. `identity` is as the store has it afterwards. Only for the owner, with no
/// transaction open. Failures: `internal` if there is no step from its schema; of the disk as store_failure.
status migrate(environment& env, store_identity& identity, std::uint32_t to,
               const std::vector<migration>& steps);

} // namespace ke
