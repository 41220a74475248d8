#pragma once

#include "runtime/playbook/read/ast.hpp"
#include "runtime/playbook/read/dependence.hpp"
#include "runtime/playbook/read/task.hpp"

#include <optional>
#include <string>

namespace ke::playbook {

/// An understood reference: the kernel with its tensors' shapes, and the facts for the analysis.
struct understood_kernel {
  kernel_function kernel;
  kernel_facts facts;
};

struct understanding {
  std::optional<understood_kernel> found;
  std::string why; ///< one sentence if nothing was found
};

/// Parses the task's reference, binds its parameters to the task's tensors, scalars and dims in the order of
/// the C ABI, and normalises it for the transformations. Every step keeps each element's order of operations.
understanding understand(const task& t);

/// Inlines integer temporaries that are set once.
void inline_integers(std::vector<stmt>& body);
/// Rewrites `if (a > m) m = a;`, `m = a > m ? a : m` and `m = m + a` in their short forms.
void spell_updates(std::vector<stmt>& body);
/// `for q: out[e] += x` becomes `acc = out[e]; for q: acc += x; out[e] = acc`, after loops that `e` does not
/// read have moved inwards (the order of additions per element stays).
void promote_accumulators(std::vector<stmt>& body, const kernel_facts& facts);
/// Joins neighbouring loops over one range, if every value is made before its use in the same iteration.
void fuse_loops(std::vector<stmt>& body, const kernel_facts& facts);
/// All double arithmetic in float. Changes results within the rounding of float.
void narrow_to_float(kernel_function& kernel);

} // namespace ke::playbook
