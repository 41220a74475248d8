// Worst errors, in units of the last place, of erf and exp in the kernel that KERNEL names, over a sample of all floats: a line each.
#include KERNEL

#include <cmath>
#include <cstdio>
#include <cstring>

namespace {

constexpr int lanes = 16;

double ulps(float said, double exact) {
  auto nearest = static_cast<float>(exact);
  return std::fabs(said - exact) / (std::nextafter(nearest, 2.0f) - nearest);
}

} // namespace

int main() {
  alignas(64) float powers[lanes], x[lanes], negative[lanes], erfs[lanes], exps[lanes];
  for (int j = 0; j < lanes; ++j)
    powers[j] = std::exp2(j / 16.0);
  const __m512 table = _mm512_load_ps(powers);
  constexpr std::uint32_t first = 0x0da24260, end = 0x42ac0000, step = 97; // 1e-30 to 86
  double worst_erf = 0, worst_exp = 0;
  for (std::uint32_t bits = first; bits < end; bits += step * lanes) {
    for (int k = 0; k < lanes; ++k) {
      std::uint32_t own = bits + step * k;
      std::memcpy(&x[k], &own, sizeof own);
      negative[k] = -x[k];
    }
    _mm512_store_ps(erfs, verf(_mm512_load_ps(x), table));
    _mm512_store_ps(exps, vexp(_mm512_load_ps(negative), table));
    for (int k = 0; k < lanes; ++k) {
      worst_erf = std::fmax(worst_erf, ulps(erfs[k], std::erf(static_cast<double>(x[k]))));
      worst_exp = std::fmax(worst_exp, ulps(exps[k], std::exp(-static_cast<double>(x[k]))));
    }
  }
  std::printf("erf %.3f\nexp %.3f\n", worst_erf, worst_exp);
}
