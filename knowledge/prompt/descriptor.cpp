#include "knowledge/prompt/descriptor.hpp"

#include "runtime/text/source_text.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <vector>

namespace ke {
namespace {

bool any(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return text.find(w) != text.npos; });
}

/// Whole words only.
std::size_t count(const std::string& text, std::string_view word) {
  std::size_t n = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    auto end = at + word.size();
    n += (at == 0 || !is_word(text[at - 1])) && (end >= text.size() || !is_word(text[end]));
  }
  return n;
}

/// A name of a variable with a running number, as unrolled code has them: acc0 and acc1, s_0 and s_1.
bool numbered(const std::string& text) {
  for (const char* name : {"acc", "sum", "s", "a", "c", "m", "t", "v", "r"})
    if (count(text, std::string{name} + "0") + count(text, std::string{name} + "_0") > 0 &&
        count(text, std::string{name} + "1") + count(text, std::string{name} + "_1") > 0)
      return true;
  return false;
}

/// Innermost loops, by indentation. A loop is not innermost if the next line is indented deeper and the block
/// holds another loop. Good enough to tell kinds apart.
std::size_t innermost(const std::string& text) {
  std::vector<std::size_t> open; // indentation of the loops that may be innermost
  std::size_t loops = 0;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    auto line = text.substr(at, end - at);
    at = end + 1;
    auto indent = line.find_first_not_of(" \t");
    if (indent == line.npos || line[indent] == '#') // a pragma's `for` is no loop
      continue;
    auto here = count(line, "for") + count(line, "while");
    while (!open.empty() && open.back() >= indent) { // its block has ended without another loop
      ++loops;
      open.pop_back();
    }
    if (here == 0)
      continue;
    open.clear(); // these hold the new one
    open.push_back(indent);
  }
  return loops + open.size();
}

} // namespace

std::uint32_t kernel_descriptor::packed() const {
  return memory | static_cast<std::uint32_t>(vector) << 8 | static_cast<std::uint32_t>(parallelism) << 16 |
         static_cast<std::uint32_t>(passes) << 24;
}

kernel_descriptor describe_kernel(std::string_view source, const source_syntax& syntax) {
  auto text = without_comments(source, syntax);
  kernel_descriptor d;
  auto access = any(text, {"restrict", "assume_aligned", "alignas", "_stream_", "nontemporal", "contiguous(",
                           "channels_last", "out="});
  auto tiles =
      any(text, {"tile", "TILE", "block", "BLOCK", "buffer", "__shared__", "__local", "local_", "pack"});
  auto early = any(text, {"prefetch", "pack", "cp.async", "async_copy", "num_stages", "tma"});
  d.memory = early || (access && tiles) ? 3 : tiles ? 2 : access ? 1 : 0;
  d.vector = any(text, {"_mm", "__riscv_v", "vld1", "wmma", "wgmma", "mfma", "tl.dot", "svld"})       ? 3
             : any(text, {"vector_size", "float4", "float8", "float16(", "ext_vector_type", "simd<"}) ? 2
             : any(text, {"omp simd", "ivdep", "GCC unroll", "vectorize(", "torch.compile", "jit.script"})
                 ? 1
                 : 0;
  auto unrolled = numbered(text) || any(text, {"unroll", "UNROLL"});
  auto threads =
      any(text, {"omp parallel", "std::thread", "blockIdx", "get_group_id", "program_id", "Thread("});
  d.parallelism = static_cast<std::uint8_t>((threads ? 2 : 0) + (unrolled ? 1 : 0));
  auto loops = innermost(text);
  d.passes = loops <= 1 ? 0 : loops == 2 ? 1 : loops <= 4 ? 2 : 3;
  return d;
}

} // namespace ke
