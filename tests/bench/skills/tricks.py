"""Two problems of one family, and what makes both fast: a sum over all pairs, each term with a weight that costs a call of the library.
The first trick makes it some six times as fast, the second ten times more, but nothing without the first."""

HEAD = """\
#include <cmath>
#include <cstdint>
#include <vector>

static inline float weight(int64_t c) {
  return WEIGHT;
}

static inline float term(float v) {
  return TERM;
}

extern "C" void kernel(const float* x, const float* q, float* y, int64_t rows, int64_t cols) {
  auto factor = [](int64_t c) { return weight(c); };
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0;
    for (int64_t c = 0; c < cols; ++c)
      sum += term(x[c] - q[r]) * factor(c);
    y[r] = sum;
  }
}
"""

PROBLEM = """\
[problem]
name = "NAME"
family = "reduction"
dims = ["M", "N"]
reference = "reference.cpp"
[[tensor]]
name = "x"
role = "in"
dtype = "f32"
shape = ["N"]
init = "normal"
[[tensor]]
name = "q"
role = "in"
dtype = "f32"
shape = ["M"]
init = "normal"
[[tensor]]
name = "y"
role = "out"
dtype = "f32"
shape = ["M"]
[[workload]]
name = "all"
dims = { M = 768, N = 1024 }
[cost]
flops = "5*M*N"
bytes = "4*(2*M+N)"
"""

# name: weight, term
PROBLEMS = {
    "pair_energy": ("std::exp(-0.01f * static_cast<float>(c % 100))", "v * v"),
    "pair_distance": ("std::exp(-0.03f * static_cast<float>(c % 61)) + 0.5f", "std::fabs(v)"),
}

# The lines of a change, as a diff has them.
TRICKS = [
    {"plan": "Compute the weights once, before the rows.",
     "change": [("-", "  auto factor = [](int64_t c) { return weight(c); };"),
                ("+", "  std::vector<float> table(static_cast<std::size_t>(cols));"),
                ("+", "  for (int64_t i = 0; i < cols; ++i)"),
                ("+", "    table[static_cast<std::size_t>(i)] = weight(i);"),
                ("+", "  auto factor = [t = table.data()](int64_t c) { return t[c]; };")]},
    {"plan": "Sum in lanes.",
     "change": [(" ", "    float sum = 0;"),
                ("+", "#pragma omp simd reduction(+ : sum)")]},
]  # fmt: skip


def write_problem(folder, name):
    weight, term = PROBLEMS[name]
    folder.mkdir(parents=True)
    (folder / "problem.toml").write_text(PROBLEM.replace("NAME", name))
    (folder / "reference.cpp").write_text(HEAD.replace("WEIGHT", weight).replace("TERM", term))
