#pragma once

#include "runtime/llm/playbook/ast.hpp"
#include "runtime/llm/playbook/dependence.hpp"
#include "runtime/llm/playbook/task.hpp"

#include <optional>
#include <string>

namespace ke::playbook {

/// A reference that was understood: the kernel with its tensors' shapes, and what the analysis may rely on.
struct understood_kernel {
  kernel_function kernel;
  kernel_facts facts;
};

struct understanding {
  std::optional<understood_kernel> found;
  std::string why; ///< one sentence if nothing was found
};

/// Parses the task's reference, binds its parameters to the task's tensors, scalars and dims in the order of
/// the C ABI, and brings it into the form that the transformations expect. Every step preserves each
/// element's order of operations.
understanding understand(const task& t);

/// Integer temporaries that are set once become part of the expressions that read them.
void inline_integers(std::vector<stmt>& body);
/// `if (a > m) m = a;`, `m = a > m ? a : m` and `m = m + a` in their short forms.
void spell_updates(std::vector<stmt>& body);
/// `for q: out[e] += x` becomes `acc = out[e]; for q: acc += x; out[e] = acc`, after the loops that `e` does
/// not read were moved inwards (the order of additions per element stays).
void promote_accumulators(std::vector<stmt>& body, const kernel_facts& facts);
/// Neighbouring loops over one range become one where every value is made before it is used in the same
/// iteration.
void fuse_loops(std::vector<stmt>& body, const kernel_facts& facts);
/// All double arithmetic in float. Changes results within the rounding of float.
void narrow_to_float(kernel_function& kernel);

} // namespace ke::playbook
