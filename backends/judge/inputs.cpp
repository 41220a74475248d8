#include "backends/judge/inputs.hpp"

#include "backends/device/side_by_side.hpp"
#include "backends/evaluation/harness.hpp"
#include "backends/judge/forms.hpp"
#include "backends/judge/number_format.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>

namespace ke {
namespace {

float bf16_value(std::uint16_t bits) {
  std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

std::uint16_t bf16_bits(float value) {
  std::uint32_t wide;
  std::memcpy(&wide, &value, sizeof wide);
  if ((wide & 0x7fffffffu) > 0x7f800000u)
    return static_cast<std::uint16_t>((wide >> 16) | 0x40u);
  return static_cast<std::uint16_t>((wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16);
}

template <class T>
T at(const void* data, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void put(void* data, std::size_t i, T value) {
  std::memcpy(static_cast<char*>(data) + i * sizeof(T), &value, sizeof(T));
}

template <class T>
T whole(double value) {
  double low = static_cast<double>(std::numeric_limits<T>::min()),
         high = static_cast<double>(std::numeric_limits<T>::max());
  if (!(value > low))
    return std::numeric_limits<T>::min();
  if (!(value < high))
    return std::numeric_limits<T>::max();
  return static_cast<T>(std::llround(value));
}

bool drawn(const tensor_spec& t) {
  return t.init == "normal" || t.init == "uniform" || t.init == "ints";
}

/// What a tensor's init draws: read once for all of its elements.
struct drawn_values {
  explicit drawn_values(const tensor_spec& t)
      : type{t.dtype}, uniform{t.init == "uniform"}, ints{t.init == "ints"}, floating{is_floating(t.dtype)} {}
  dtype type;
  bool uniform, ints, floating;
};

double draw_value(const drawn_values& t, distribution d, random_source& random) {
  if (t.type == dtype::boolean)
    return static_cast<double>(random.next() >> 63);
  bool signed_values = t.type != dtype::u8;
  if (t.ints)
    // Integers with this initialiser are often indices, so they stay small and are never negative.
    return t.floating ? static_cast<double>(random.below(17)) - 8 : static_cast<double>(random.below(8));
  if (!t.floating) {
    bool byte = t.type == dtype::i8 || t.type == dtype::u8, far = d == distribution::large;
    // Bytes go over their whole range, where sums and products wrap round; wider ones stay where a reference
    // that adds products in 32 bits does not overflow, which C++ leaves undefined.
    double span = byte ? (far ? (signed_values ? 128 : 256) : 16) : far ? 4096 : 128;
    return std::floor(random.uniform() * (signed_values ? 2 * span : span)) - (signed_values ? span : 0);
  }
  const bool uniform = t.uniform;
  switch (d) {
  case distribution::init:
    return uniform ? random.uniform() : random.normal();
  case distribution::uniform: // the other of the two, so that both are met
    return uniform ? random.uniform() : 2 * random.uniform() - 1;
  case distribution::large:
    return 16 * (uniform ? random.uniform() : random.normal());
  case distribution::small:
    return 0x1p-8 * (uniform ? random.uniform() : random.normal());
  case distribution::mostly_zero:
    return random.below(8) ? 0.0 : uniform ? random.uniform() : random.normal();
  case distribution::beyond: // draw_beyond bends it further
    return uniform ? random.uniform() : random.normal();
  }
  return 0;
}

double within(const tensor_spec& t, double value, const std::optional<value_bounds>& bounds,
              random_source& random) {
  return !bounds || (value >= bounds->low && value <= bounds->high) ? value
                                                                    : draw_between(t, *bounds, random);
}

/// Reads version 1 to 3 of the format, C order, and the dtype's own element type (or a float of another
/// size). What NumPy has no type for is there as unsigned integers that hold its bits.
result<std::string> from_npy(const problem& what, const tensor_spec& t, std::size_t elements) {
  auto bad = [&](const std::string& why) {
    return failure{failure_kind::invalid, "tensor " + t.name + ": initialiser " + t.init + " " + why};
  };
  auto file = what.files.find(t.init);
  if (file == what.files.end())
    return bad("is not among the problem's files");
  const std::string& bytes = file->second;
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY"))
    return bad("is no .npy file");
  std::size_t start = bytes[6] == 1 ? 10 : 12;
  std::size_t length =
      bytes[6] == 1 ? at<std::uint16_t>(bytes.data() + 8, 0) : at<std::uint32_t>(bytes.data() + 8, 0);
  if (length > bytes.size() || start + length > bytes.size())
    return bad("is cut short");
  std::string header = bytes.substr(start, length);
  if (header.find("'fortran_order': True") != std::string::npos)
    return bad("is in Fortran order; save it in C order");
  auto type_at = header.find("'descr': '");
  std::string type = type_at == std::string::npos ? "" : header.substr(type_at + 11, 2);
  static const std::pair<const char*, dtype> types[] = {
      {"f8", dtype::f64}, {"f4", dtype::f32}, {"f2", dtype::f16},  {"i8", dtype::i64},    {"i4", dtype::i32},
      {"i1", dtype::i8},  {"u1", dtype::u8},  {"u2", dtype::bf16}, {"b1", dtype::boolean}};
  for (auto [name, stored] : types)
    if (type == name) {
      const char* data = bytes.data() + start + length;
      if (bytes.size() - start - length < elements * bytes_of(stored))
        return bad("holds fewer elements than the shape needs");
      std::string out(elements * bytes_of(t.dtype), '\0');
      if (stored == t.dtype || (stored == dtype::u8 && is_float8(t.dtype)))
        std::memcpy(out.data(), data, out.size());
      else
        for (std::size_t i = 0; i < elements; ++i)
          set_element(t.dtype, out.data(), i, element(stored, data, i));
      return out;
    }
  return bad("has the element type " + type + ", which is not one of f8 f4 f2 i8 i4 i1 u2 u1 b1");
}

} // namespace

std::uint64_t secret_key() {
  std::uint64_t key = 0;
  if (getrandom(&key, sizeof key, 0) != static_cast<ssize_t>(sizeof key))
    throw std::runtime_error{"the kernel gave no random bytes"};
  return key;
}

double element(dtype d, const void* data, std::size_t i) {
  switch (d) {
  case dtype::f64:
    return at<double>(data, i);
  case dtype::f32:
    return at<float>(data, i);
  case dtype::f16:
    return static_cast<double>(at<_Float16>(data, i));
  case dtype::bf16:
    return bf16_value(at<std::uint16_t>(data, i));
  case dtype::f8e4m3:
  case dtype::f8e5m2:
    return float8_value(d, at<std::uint8_t>(data, i));
  case dtype::i64:
    return static_cast<double>(at<std::int64_t>(data, i));
  case dtype::i32:
    return at<std::int32_t>(data, i);
  case dtype::i8:
    return at<std::int8_t>(data, i);
  case dtype::u8:
  case dtype::boolean:
    return at<std::uint8_t>(data, i);
  }
  return 0;
}

long double wide_element(dtype d, const void* data, std::size_t i) {
  switch (d) {
  case dtype::f64:
    return at<long double>(data, i);
  case dtype::f32:
  case dtype::f16:
  case dtype::bf16:
  case dtype::f8e4m3:
  case dtype::f8e5m2:
    return at<double>(data, i);
  default:
    return element(d, data, i);
  }
}

void set_element(dtype d, void* data, std::size_t i, double value) {
  switch (d) {
  case dtype::f64:
    return put(data, i, value);
  case dtype::f32:
    return put(data, i, static_cast<float>(value));
  case dtype::f16:
    return put(data, i, static_cast<_Float16>(value));
  case dtype::bf16:
    return put(data, i, bf16_bits(static_cast<float>(value)));
  case dtype::f8e4m3:
  case dtype::f8e5m2:
    return put(data, i, float8_bits(d, value));
  case dtype::i64:
    return put(data, i, whole<std::int64_t>(value));
  case dtype::i32:
    return put(data, i, whole<std::int32_t>(value));
  case dtype::i8:
    return put(data, i, whole<std::int8_t>(value));
  case dtype::u8:
    return put(data, i, whole<std::uint8_t>(value));
  case dtype::boolean:
    return put(data, i, static_cast<std::uint8_t>(value != 0));
  }
}

void set_within(dtype d, void* data, std::size_t i, double value, const std::optional<value_bounds>& bounds) {
  set_element(d, data, i, value);
  if (!bounds || !is_floating(d))
    return;
  double is = element(d, data, i), edge = std::clamp(is, bounds->low, bounds->high);
  if (is != edge) // as far within as it was beyond: in eight bits a step is wide
    set_element(d, data, i, edge - (is - edge));
}

namespace {

/// As `init` says, but for what `d` bends.
result<std::string> draw_init(const problem& what, const tensor_spec& t, std::size_t elements,
                              std::size_t last, distribution d, const std::optional<value_bounds>& bounds,
                              random_source& random) {
  if (has_form(t))
    return draw_form(t, elements, last, d, bounds, random);
  std::string bytes(elements * bytes_of(t.dtype), '\0');
  if (t.init == "zeros")
    return bytes;
  if (t.init == "onehot") {
    for (std::size_t row = 0; last && row < elements / last; ++row)
      set_element(t.dtype, bytes.data(), row * last + random.below(last), 1.0);
    return bytes;
  }
  if (!drawn(t))
    return from_npy(what, t, elements);
  const drawn_values values{t};
  if (t.dtype == dtype::f32 && !bounds) { // the usual case, without a branch per element
    auto* out = reinterpret_cast<float*>(bytes.data());
    for (std::size_t i = 0; i < elements; ++i)
      out[i] = static_cast<float>(draw_value(values, d, random));
  } else {
    for (std::size_t i = 0; i < elements; ++i)
      set_within(t.dtype, bytes.data(), i, within(t, draw_value(values, d, random), bounds, random), bounds);
  }
  return bytes;
}

} // namespace

result<std::string> draw_tensor(const problem& what, const tensor_spec& t, std::size_t elements,
                                std::size_t last, distribution d, random_source& random,
                                const value_limits& limits) {
  // What init names is what every input has: another distribution would be none of the problem's.
  auto drawn_as = t.promised && !has_form(t) ? distribution::init : d;
  auto bytes = draw_init(what, t, elements, last, drawn_as, bounds_of(t, limits.dims), random);
  if (bytes && d == distribution::beyond)
    draw_beyond(t, *bytes, last, limits.reach, limits.dims, random);
  return bytes;
}

bool draws_each_alike(const tensor_spec& t) {
  return drawn(t) && !has_form(t);
}

bool perturb_one(const tensor_spec& t, std::string& bytes, random_source& random,
                 const value_limits& limits) {
  std::size_t elements = bytes.size() / bytes_of(t.dtype);
  if (!drawn(t) || !elements)
    return false;
  std::size_t i = random.below(elements);
  double old = element(t.dtype, bytes.data(), i);
  const drawn_values values{t};
  for (int tries = 0; tries < 16; ++tries) {
    double value = draw_value(values, distribution::init, random);
    if (is_floating(t.dtype) && !t.promised)
      value *= 3;
    value = within(t, value, bounds_of(t, limits.dims), random);
    set_element(t.dtype, bytes.data(), i, value);
    if (element(t.dtype, bytes.data(), i) != old)
      return true;
  }
  return false;
}

std::string widened(dtype d, const std::string& bytes) {
  if (wide_bytes(d) == bytes_of(d))
    return bytes;
  std::size_t elements = bytes.size() / bytes_of(d);
  std::string out(elements * wide_bytes(d), '\0');
  side_by_side(elements, elements_of_a_thread, [&](std::size_t from, std::size_t to) {
    for (auto i = from; i < to; ++i) {
      if (d == dtype::f64)
        put<long double>(out.data(), i, element(d, bytes.data(), i));
      else
        put<double>(out.data(), i, element(d, bytes.data(), i));
    }
  });
  return out;
}

} // namespace ke
