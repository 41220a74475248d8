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

// Changes every word of a buffer that is larger than the last-level cache.
KERNEL ke_flush(u32* words, u64 count, u32 key) {
  for (u64 i = block() * static_cast<u64>(threads()) + thread(); i < count;
       i += static_cast<u64>(blocks()) * threads())
    words[i] += key + static_cast<u32>(i);
}
