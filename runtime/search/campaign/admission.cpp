#include "runtime/search/campaign/admission.hpp"

namespace ke {

std::string refusal_text(const std::string& problem_path, const std::string& why) {
  return problem_path + ": the problem is unfit, no candidate can be judged: " + why +
         "\nNo model was asked. `ke-runtime problem lint " + problem_path +
         "` looks closer; mend the problem and "
         "start again";
}

} // namespace ke
