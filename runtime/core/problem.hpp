#pragma once

#include "runtime/core/dtype.hpp"
#include "runtime/core/fields.hpp"
#include "runtime/core/names.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ke {

enum class tensor_role : std::uint8_t { in, out, inout };
KE_NAMES(tensor_role, 3, "in", "out", "inout")

/// One tensor of the C ABI, in file order. A dimension is an expression over the problem's symbols ("M",
/// "2*N", "N-K+1", "3").
struct tensor_spec {
  std::string name;
  tensor_role role = tensor_role::in;
  ke::dtype dtype = ke::dtype::f32;
  std::vector<std::string> shape;
  /// normal | uniform | ints | onehot | zeros | sorted | permutation | offsets | indices | mask | simplex
  /// or a .npy file beside the problem, or generated_init
  std::string init = "normal";
  /// Bounds of the values: none, or two expressions over the dims. Both are included, but `indices` stay
  /// below the upper one.
  std::vector<std::string> range;
  bool promised = false;    ///< every input has the form that `init` names; else checks draw beyond it
  bool any_strides = false; ///< Python backends: the judge may pass a view that is not contiguous
};
KE_FIELDS(tensor_spec, x.name, x.role, x.dtype, x.shape, x.init, x.range, x.promised, x.any_strides)
KE_OPTIONAL_TAIL(tensor_spec, 3)

struct scalar_spec {
  std::string name;
  bool integer = false; ///< false: double; true: int64_t
  double value = 0;
  std::vector<double> range; ///< none: a constant; two bounds, both included: the judge varies it
};
KE_FIELDS(scalar_spec, x.name, x.integer, x.value, x.range)
KE_OPTIONAL_TAIL(scalar_spec, 1)

/// Limits of a shape symbol that the problem states; nothing is inferred for such a symbol.
struct dim_promise {
  std::int64_t min = 1;
  std::int64_t max = 0; ///< 0: no limit
  std::int64_t multiple = 1;
};
KE_FIELDS(dim_promise, x.min, x.max, x.multiple)

/// A binding of the symbols. Held-out workloads are never shown to the synthesizer; `eval` and claims check
/// and time them.
struct workload {
  std::string name;
  std::map<std::string, std::int64_t> dims;
  double weight = 1.0;
  bool held_out = false;
};
KE_FIELDS(workload, x.name, x.dims, x.weight, x.held_out)

struct tolerance {
  double rtol = 0;
  double atol = 0;
};
KE_FIELDS(tolerance, x.rtol, x.atol)

/// What a candidate may do; shown in the prompt and enforced by the judge.
struct problem_policy {
  bool vendor_libraries = false;
  std::int64_t threads = 1;
  bool fast_math = false;
  bool cold_cache = false; ///< which time counts: cache = "cold" or "hot"
  /// launch = "graph": device time by replay of a graph; else of synchronous calls. On a device only.
  bool graph_launch = false;
};
KE_FIELDS(problem_policy, x.vendor_libraries, x.threads, x.fast_math, x.cold_cache, x.graph_launch)
KE_OPTIONAL_TAIL(problem_policy, 1)

/// An operator to be implemented: product.md "Problems". Self-contained: `files` carries the files it names.
struct problem {
  std::string name;
  std::string family;  ///< retrieval and warm starts; may be empty
  std::string formula; ///< optional expression of the result, for the playbook
  std::vector<std::string> dims;
  std::vector<tensor_spec> tensors;
  std::vector<scalar_spec> scalars;
  std::vector<workload> workloads;
  std::string reference_language; ///< "c++" or "python"
  std::string reference;          ///< its source text
  bool bitwise = false;
  std::map<std::string, tolerance> tolerances; ///< by dtype name; empty: the scaled-error rule of trust.md
  problem_policy policy;
  std::string flops; ///< expression over dims; empty: unknown
  std::string bytes;
  std::map<std::string, std::string> files; ///< .npy initialisers by name
  std::vector<std::string> relations;       ///< what holds in every shape: "N == 2*H"
  std::map<std::string, dim_promise> promise;
  std::string generator;     ///< Python source with `make(key, dims)`, which returns the inputs; empty: none
  bool tensor_scale = false; ///< errors are measured against the largest output, not against each element
};
KE_FIELDS(problem, x.name, x.family, x.formula, x.dims, x.tensors, x.scalars, x.workloads,
          x.reference_language, x.reference, x.bitwise, x.tolerances, x.policy, x.flops, x.bytes, x.files,
          x.relations, x.promise, x.generator, x.tensor_scale)
KE_OPTIONAL_TAIL(problem, 4)

} // namespace ke
