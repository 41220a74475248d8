// What the judge itself runs on a device. Compiled to PTX at build time by clang, which needs no toolkit for it:
// no headers, no libraries. All sizes in bytes. Ranges are cut into chunks by the host; a block works on one.

#define KERNEL extern "C" __attribute__((global)) void

using u8 = unsigned char;
using u32 = unsigned int;
using u64 = unsigned long long;

struct chunk {
  u64 at;    // in the arena
  u64 other; // in the buffer beside it
  u32 bytes;
  u32 mark; // of whom it speaks
};

struct alignas(16) four {
  u32 w[4];
};

__attribute__((device)) inline u32 thread() {
  return __nvvm_read_ptx_sreg_tid_x();
}
__attribute__((device)) inline u32 threads() {
  return __nvvm_read_ptx_sreg_ntid_x();
}
__attribute__((device)) inline u32 block() {
  return __nvvm_read_ptx_sreg_ctaid_x();
}
__attribute__((device)) inline u32 blocks() {
  return __nvvm_read_ptx_sreg_nctaid_x();
}

// Whether both sides may be read in 16 bytes at a time from the same step on.
__attribute__((device)) inline bool in_step(const u8* a, const u8* b) {
  return (reinterpret_cast<u64>(a) & 15) == (reinterpret_cast<u64>(b) & 15);
}

__attribute__((device)) inline void copy(u8* to, const u8* from, u32 bytes) {
  u32 done = 0;
  if (in_step(to, from)) {
    u32 head = (16 - static_cast<u32>(reinterpret_cast<u64>(to) & 15)) & 15;
    if (head > bytes)
      head = bytes;
    for (u32 i = thread(); i < head; i += threads())
      to[i] = from[i];
    u32 whole = (bytes - head) / 16;
    auto* wide = reinterpret_cast<four*>(to + head);
    const auto* source = reinterpret_cast<const four*>(from + head);
    for (u32 i = thread(); i < whole; i += threads())
      wide[i] = source[i];
    done = head + whole * 16;
  }
  for (u32 i = done + thread(); i < bytes; i += threads())
    to[i] = from[i];
}

// An empty kernel: a fence, a turn on the device, the floor of the path.
KERNEL ke_nothing() {}

// From the staging buffer into the arena, and into the judge's own copy of it.
KERNEL ke_write(const chunk* chunks, u32 count, const u8* staged, u8* arena, u8* copy_of_it) {
  for (u32 c = block(); c < count; c += blocks()) {
    copy(arena + chunks[c].at, staged + chunks[c].other, chunks[c].bytes);
    copy(copy_of_it + chunks[c].at, staged + chunks[c].other, chunks[c].bytes);
  }
}

// Which chunks of the arena differ from the judge's copy: changed[mark] becomes 1.
KERNEL ke_compare(const chunk* chunks, u32 count, const u8* arena, const u8* copy_of_it, u32* changed) {
  for (u32 c = block(); c < count; c += blocks()) {
    const u8 *a = arena + chunks[c].at, *b = copy_of_it + chunks[c].at; // both begin at whole pages: in step
    u32 bytes = chunks[c].bytes, head = (16 - static_cast<u32>(reinterpret_cast<u64>(a) & 15)) & 15;
    if (head > bytes)
      head = bytes;
    bool differs = false;
    for (u32 i = thread(); i < head; i += threads())
      differs |= a[i] != b[i];
    u32 whole = (bytes - head) / 16;
    const auto *x = reinterpret_cast<const four*>(a + head), *y = reinterpret_cast<const four*>(b + head);
    for (u32 i = thread(); i < whole; i += threads())
      for (int w = 0; w < 4; ++w)
        differs |= x[i].w[w] != y[i].w[w];
    for (u32 i = head + whole * 16 + thread(); i < bytes; i += threads())
      differs |= a[i] != b[i];
    if (differs)
      changed[chunks[c].mark] = 1; // whoever writes, writes the same
  }
}

// Out of the arena into a buffer, one after another.
KERNEL ke_gather(const chunk* chunks, u32 count, const u8* arena, u8* to) {
  for (u32 c = block(); c < count; c += blocks())
    copy(to + chunks[c].other, arena + chunks[c].at, chunks[c].bytes);
}

// A part of a tensor that gets elements of a pool, picked by a key and the element's place in its tensor.
struct mixed {
  u64 at;    // in the arena
  u64 pool;  // address
  u64 key;
  u32 first; // element of the tensor
  u32 elements;
  u32 choices; // elements of the pool
  u32 size;    // bytes of an element
};

__attribute__((device)) inline u32 picked(u64 key, u32 element, u32 choices) {
  u64 h = (key ^ (element + 1ull)) * 0x9e3779b97f4a7c15ull;
  h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93ull;
  return static_cast<u32>(((h >> 32) * choices) >> 32);
}

template <class T>
__attribute__((device)) inline void mix(const mixed& part, u8* arena, u8* copy_of_it) {
  const auto* pool = reinterpret_cast<const T*>(part.pool);
  auto *to = reinterpret_cast<T*>(arena + part.at), *beside = reinterpret_cast<T*>(copy_of_it + part.at);
  for (u32 i = thread(); i < part.elements; i += threads()) {
    auto value = pool[picked(part.key, part.first + i, part.choices)];
    to[i] = value;
    beside[i] = value;
  }
}

// Into the arena, and into the judge's own copy of it.
KERNEL ke_mix(const mixed* parts, u32 count, u8* arena, u8* copy_of_it) {
  for (u32 p = block(); p < count; p += blocks())
    switch (parts[p].size) {
    case 1:
      mix<u8>(parts[p], arena, copy_of_it);
      break;
    case 2:
      mix<unsigned short>(parts[p], arena, copy_of_it);
      break;
    case 4:
      mix<u32>(parts[p], arena, copy_of_it);
      break;
    default:
      mix<u64>(parts[p], arena, copy_of_it);
    }
}

// Parts of two results, and what they may differ by: |b - a| <= relative |a| + absolute, or the larger of the two.
struct compared {
  u64 a, b; // addresses
  u32 elements;
  u32 mark; // of whom it speaks
  u32 form; // as device_number has it
  u32 larger;
  double relative, absolute;
};

template <class Real>
__attribute__((device)) inline bool near(Real a, Real b, const compared& how, Real largest) {
  Real size = a < 0 ? -a : a, off = b > a ? b - a : a - b;
  if (!(size <= largest) || !(off <= largest))
    return false;
  // A hair less than is allowed: what passes here passes the host's check as well.
  Real relative = static_cast<Real>(how.relative * 0.999) * size, absolute = static_cast<Real>(how.absolute * 0.999);
  return off <= (how.larger ? (relative > absolute ? relative : absolute) : relative + absolute);
}

__attribute__((device)) inline float float_of(u32 bits) {
  return __builtin_bit_cast(float, bits);
}

// Of sixteen bits: IEEE's or bfloat16, finite ones exactly. Others are told apart by their bits alone.
__attribute__((device)) inline float half_of(u32 bits) {
  float size = float_of((bits & 0x7fffu) << 13) * 0x1p112f;
  if ((bits & 0x7c00u) == 0x7c00u)
    size = float_of(0x7fc00000u);
  return bits & 0x8000u ? -size : size;
}

// Whether every element is near: differs[mark] becomes 1 where one is not, or may not be.
KERNEL ke_agree(const compared* parts, u32 count, u32* differs) {
  constexpr float largest = 0x1.fffffep127f;
  constexpr double largest64 = 0x1.fffffffffffffp1023;
  for (u32 p = block(); p < count; p += blocks()) {
    const auto& part = parts[p];
    bool differ = false;
    for (u32 i = thread(); i < part.elements; i += threads())
      switch (part.form) {
      case 1: {
        u32 a = reinterpret_cast<const u32*>(part.a)[i], b = reinterpret_cast<const u32*>(part.b)[i];
        differ |= a != b && !near(float_of(a), float_of(b), part, largest);
        break;
      }
      case 2: {
        u32 a = reinterpret_cast<const unsigned short*>(part.a)[i], b = reinterpret_cast<const unsigned short*>(part.b)[i];
        differ |= a != b && !near(half_of(a), half_of(b), part, largest);
        break;
      }
      case 3: {
        u32 a = reinterpret_cast<const unsigned short*>(part.a)[i], b = reinterpret_cast<const unsigned short*>(part.b)[i];
        differ |= a != b && !near(float_of(a << 16), float_of(b << 16), part, largest);
        break;
      }
      case 4: {
        double a = reinterpret_cast<const double*>(part.a)[i], b = reinterpret_cast<const double*>(part.b)[i];
        differ |= reinterpret_cast<const u64*>(part.a)[i] != reinterpret_cast<const u64*>(part.b)[i] &&
                  !near(a, b, part, largest64);
        break;
      }
      default:
        differ |= reinterpret_cast<const u8*>(part.a)[i] != reinterpret_cast<const u8*>(part.b)[i];
      }
    if (differ)
      differs[part.mark] = 1;
  }
}

// Changes every word of a buffer that is larger than the last-level cache.
KERNEL ke_flush(u32* words, u64 count, u32 key) {
  for (u64 i = block() * static_cast<u64>(threads()) + thread(); i < count;
       i += static_cast<u64>(blocks()) * threads())
    words[i] += key + static_cast<u32>(i);
}
