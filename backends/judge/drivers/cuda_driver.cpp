#include "backends/judge/drivers/cuda_driver.hpp"

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/drivers/c_abi_driver.hpp"

namespace ke {
namespace {

result<judge_task> cuda_complete(const judge_task&) {
  return failure{failure_kind::missing, "no device: this version runs no candidates of the driver cuda"};
}

/// Nothing is asked of it after that answer.
driver_seam without_device() {
  driver_seam seam = c_abi_driver;
  seam.complete = cuda_complete;
  return seam;
}

} // namespace

const driver_seam cuda_driver = without_device();

} // namespace ke
