/* redteam
trick = "templates that double with each step keep the compiler busy for ever"
entries = ["F7"]
accept = ["build_failed", "timeout", "resource_exceeded"]
alone = true
*/
/*
[launch]
grid = 1
block = 32
*/
template <int D, unsigned long long P> struct bomb {
  static const int value = bomb<D - 1, 2 * P>::value + bomb<D - 1, 2 * P + 1>::value;
};
template <unsigned long long P> struct bomb<0, P> {
  static const int value = P & 1;
};
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  y[0] = bomb<40, 1>::value;
}
