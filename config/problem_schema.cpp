#include "config/problem_file.hpp"
#include "runtime/core/problem.hpp"

namespace ke {
namespace {

tables_slot promises_of(std::map<std::string, dim_promise>& promises) {
  return {{"min", "max", "multiple"},
          [&promises](const std::string& dim, const std::string& name, std::int64_t value) {
            auto& promise = promises[dim];
            (name == "min" ? promise.min : name == "max" ? promise.max : promise.multiple) = value;
          },
          [&promises] {
            std::vector<std::pair<std::string, std::vector<std::int64_t>>> all;
            all.reserve(promises.size());
            for (const auto& [dim, promise] : promises)
              all.push_back({dim, {promise.min, promise.max, promise.multiple}});
            return all;
          }};
}

/// Of a member, where a key's value lies. The problem outlives it.
auto slots_of_problem(problem& p) {
  return [&p](auto member) { return [&p, member](std::size_t) -> value_slot { return &(p.*member); }; };
}

/// [problem]
void problem_keys(schema& all, problem& p, problem_paths& paths) {
  auto& keys = all.keys;
  auto of = slots_of_problem(p);

  keys.push_back(
      {.path = "problem.name", .doc = "The operator's name.", .at = of(&problem::name), .required = true});
  keys.push_back({"problem.family",
                  "Used for retrieval and warm starts: elementwise, reduction, softmax, norm, matmul, conv, "
                  "scan, transpose, stencil, attention...",
                  of(&problem::family)});
  keys.push_back({"problem.formula",
                  "The result as an expression with reductions or index patterns; the playbook uses it where "
                  "it can't read the reference.",
                  of(&problem::formula)});
  keys.push_back({"problem.dims", "The shape symbols, in the order in which the C ABI passes them.",
                  of(&problem::dims)});
  keys.push_back({"problem.relations",
                  "What holds between the dims in every shape, e.g. [\"N == 2*H\", \"K <= L\"].",
                  of(&problem::relations)});
  keys.push_back(
      {.path = "problem.reference",
       .doc = "The reference: C++ with the candidate's ABI (reference.cpp) or Python (reference.py).",
       .at = [&paths](std::size_t) -> value_slot { return &paths.reference; },
       .required = true,
       .path_of_file = true});
  keys.push_back({.path = "problem.generator",
                  .doc = "A Python file whose make(key, dims) returns the inputs, in the file's order or by "
                         "name; for a reference in Python.",
                  .at = [&paths](std::size_t) -> value_slot { return &paths.generator; },
                  .path_of_file = true});

  keys.push_back(
      {.path = "problem.promise",
       .doc = "What a dim may be, e.g. M = { min = 1, max = 65536, multiple = 8 }, in a section of its own: "
              "[problem.promise]. Nothing else is assumed of a dim that is named here.",
       .at = [&p](std::size_t) -> value_slot { return promises_of(p.promise); },
       .most = 1e12});
}

/// [[tensor]]
void tensor_keys(schema& all, problem& p) {
  auto& keys = all.keys;
  auto tensor = [&p](auto member) {
    return [&p, member](std::size_t i) -> value_slot { return &(p.tensors.at(i).*member); };
  };

  all.lists.push_back({"tensor", [&p] { return p.tensors.emplace_back(), p.tensors.size() - 1; },
                       [&p] { return p.tensors.size(); }});
  keys.push_back(
      {.path = "tensor.name", .doc = "A C identifier.", .at = tensor(&tensor_spec::name), .required = true});
  keys.push_back({"tensor.role", "Who writes it.",
                  [&p](std::size_t i) -> value_slot { return choice_of(p.tensors.at(i).role); }});
  keys.push_back({"tensor.dtype", "The type of its elements.",
                  [&p](std::size_t i) -> value_slot { return choice_of(p.tensors.at(i).dtype); }});
  keys.push_back({.path = "tensor.shape",
                  .doc = "Its extents: expressions over the dims, e.g. [\"N\", \"L-K+1\"].",
                  .at = tensor(&tensor_spec::shape),
                  .required = true,
                  .of_expressions = true});
  keys.push_back(
      {"tensor.init",
       "What an input holds: normal | uniform | ints | onehot | zeros | a .npy file, or a form that "
       "every input has: sorted | permutation | offsets | indices | mask | simplex.",
       tensor(&tensor_spec::init)});
  keys.push_back({.path = "tensor.range",
                  .doc =
                      "Bounds of the values, expressions over the dims, e.g. [0, \"V\"]; both included, but "
                      "indices stay below the upper one.",
                  .at = tensor(&tensor_spec::range),
                  .of_expressions = true,
                  .of_numbers = true});
  keys.push_back({"tensor.promise",
                  "\"init\": every input has the form that init names. Otherwise init describes the timed "
                  "data alone, and checks draw other values, too.",
                  [&p](std::size_t i) -> value_slot {
                    return choice_slot{
                        {"none", "init"},
                        [&p, i] { return p.tensors.at(i).promised ? 1u : 0u; },
                        [&p, i](std::size_t chosen) { p.tensors.at(i).promised = chosen == 1; }};
                  }});

  keys.push_back({"tensor.strides", "any: checks also pass views that are not contiguous (Python backends).",
                  [&p](std::size_t i) -> value_slot {
                    return choice_slot{
                        {"contiguous", "any"},
                        [&p, i] { return p.tensors.at(i).any_strides ? 1u : 0u; },
                        [&p, i](std::size_t chosen) { p.tensors.at(i).any_strides = chosen == 1; }};
                  }});
}

/// [[scalar]]
void scalar_keys(schema& all, problem& p) {
  auto& keys = all.keys;

  all.lists.push_back({"scalar", [&p] { return p.scalars.emplace_back(), p.scalars.size() - 1; },
                       [&p] { return p.scalars.size(); }});
  keys.push_back({.path = "scalar.name",
                  .doc = "A C identifier.",
                  .at = [&p](std::size_t i) -> value_slot { return &p.scalars.at(i).name; },
                  .required = true});
  keys.push_back({"scalar.type", "Its C type.", [&p](std::size_t i) -> value_slot {
                    return choice_slot{
                        {"double", "int64_t"},
                        [&p, i] { return p.scalars.at(i).integer ? 1u : 0u; },
                        [&p, i](std::size_t chosen) { p.scalars.at(i).integer = chosen == 1; }};
                  }});
  keys.push_back({.path = "scalar.value",
                  .doc = "The value that every call gets, unless there is a range.",
                  .at = [&p](std::size_t i) -> value_slot { return &p.scalars.at(i).value; },
                  .least = -1e300,
                  .most = 1e300,
                  .required = true});
  keys.push_back({.path = "scalar.range",
                  .doc = "Two bounds, both included: each call gets another value between them.",
                  .at = [&p](std::size_t i) -> value_slot { return &p.scalars.at(i).range; },
                  .least = -1e300,
                  .most = 1e300});
}

/// [[workload]]
void workload_keys(schema& all, problem& p) {
  auto& keys = all.keys;
  auto workload_slot = [&p](auto member) {
    return [&p, member](std::size_t i) -> value_slot { return &(p.workloads.at(i).*member); };
  };

  all.lists.push_back({"workload", [&p] { return p.workloads.emplace_back(), p.workloads.size() - 1; },
                       [&p] { return p.workloads.size(); }});
  keys.push_back({.path = "workload.name",
                  .doc = "Its name in prompts and verdicts.",
                  .at = workload_slot(&workload::name),
                  .default_text = "\"w0\", \"w1\"..."});
  keys.push_back({.path = "workload.dims",
                  .doc = "A value for every dim, e.g. { M = 512, N = 4096 }.",
                  .at = workload_slot(&workload::dims),
                  .least = 1,
                  .most = 1e12});
  keys.push_back({.path = "workload.weight",
                  .doc = "Its share in the geometric mean.",
                  .at = workload_slot(&workload::weight),
                  .most = 1e6});
  keys.push_back({"workload.held_out",
                  "true: no model sees it; only `eval` and the final claim check and time it.",
                  workload_slot(&workload::held_out)});
}

/// [tolerance]
void tolerance_keys(schema& all, problem& p) {
  auto& keys = all.keys;
  auto of = slots_of_problem(p);

  keys.push_back({"tolerance.bitwise", "true: every bit must match the reference.", of(&problem::bitwise)});
  keys.push_back({"tolerance.scale",
                  "What an error is measured against: each element's own size, or the largest output of its "
                  "tensor, as transforms (FFT, Winograd) need it.",
                  [&p](std::size_t) -> value_slot {
                    return choice_slot{{"element", "tensor"},
                                       [&p] { return p.tensor_scale ? 1u : 0u; },
                                       [&p](std::size_t chosen) { p.tensor_scale = chosen == 1; }};
                  }});
  for (auto type : names_of<dtype>::value) {
    auto name = std::string{type};
    auto entry = [&p, name](auto member) {
      return [&p, name, member](std::size_t) -> value_slot { return &(p.tolerances[name].*member); };
    };
    keys.push_back({.path = "tolerance." + name + ".rtol",
                    .doc = "Relative tolerance for outputs of this type.",
                    .at = entry(&tolerance::rtol),
                    .most = 1e3});
    keys.push_back({.path = "tolerance." + name + ".atol",
                    .doc = "Absolute tolerance for outputs of this type.",
                    .at = entry(&tolerance::atol),
                    .most = 1e300});
  }
}

/// [policy] and [cost]
void problem_policy_keys(schema& all, problem& p) {
  auto& keys = all.keys;
  auto of = slots_of_problem(p);
  auto policy = [&p](auto member) {
    return [&p, member](std::size_t) -> value_slot { return &(p.policy.*member); };
  };

  keys.push_back(
      {"policy.vendor_libraries",
       "May a candidate call vendor libraries? cpu-cpp: OpenBLAS, which must be installed. torch-cpu: a "
       "fused operator of PyTorch for most of the work, even if the reference does not call it.",
       policy(&problem_policy::vendor_libraries)});
  keys.push_back({.path = "policy.threads",
                  .doc = "Processors that a candidate may use; further threads share them.",
                  .at = policy(&problem_policy::threads),
                  .least = 1,
                  .most = 4096});
  keys.push_back({"policy.fast_math", "May a candidate be compiled with fast math?",
                  policy(&problem_policy::fast_math)});
  keys.push_back({"policy.cache", "Which time counts: with warm caches, or with cold ones.",
                  [&p](std::size_t) -> value_slot {
                    return choice_slot{{"hot", "cold"},
                                       [&p] { return p.policy.cold_cache ? 1u : 0u; },
                                       [&p](std::size_t chosen) { p.policy.cold_cache = chosen == 1; }};
                  }});
  keys.push_back(
      {"policy.launch",
       "What is timed on a device: synchronous calls, or its own time, by replay of a graph of them.",
       [&p](std::size_t) -> value_slot {
         return choice_slot{{"call", "graph"},
                            [&p] { return p.policy.graph_launch ? 1u : 0u; },
                            [&p](std::size_t chosen) { p.policy.graph_launch = chosen == 1; }};
       }});

  keys.push_back({"cost.flops", "Floating-point operations of one call, over the dims: \"5*M*N\".",
                  of(&problem::flops)});
  keys.push_back(
      {"cost.bytes", "Bytes that one call must move, over the dims: \"8*M*N\".", of(&problem::bytes)});
}

} // namespace

schema problem_schema(problem& p, problem_paths& paths) {
  schema all;
  problem_keys(all, p, paths);
  tensor_keys(all, p);
  scalar_keys(all, p);
  workload_keys(all, p);
  tolerance_keys(all, p);
  problem_policy_keys(all, p);
  all.later = {
      {"problem.evaluator", "a problem has tensors and a reference"},
  };
  return all;
}

std::string problem_reference_text() {
  problem example;
  problem_paths paths{"reference.cpp", ""};
  example.name = "softmax";
  example.dims = {"M", "N"};
  example.tensors.push_back({"x", tensor_role::in, dtype::f32, {"M", "N"}, "normal"});
  example.scalars.push_back({"scale", false, 1.0});
  example.workloads.push_back({"wide", {{"M", 512}, {"N", 4096}}, 1.0, false});
  return schema_text(problem_schema(example, paths), true);
}

} // namespace ke
