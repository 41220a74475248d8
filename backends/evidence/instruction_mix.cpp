#include "backends/evidence/instruction_mix.hpp"

#include <algorithm>

namespace ke {
namespace {

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(), [&](auto e) { return name.ends_with(e); });
}

/// Not one that every object gets from the compiler.
bool is_own_function(std::string_view name) {
  return !name.starts_with("_init") && !name.starts_with("_fini") && !name.starts_with("deregister_tm") &&
         !name.starts_with("register_tm") && !name.starts_with("__do_global") &&
         !name.starts_with("frame_dummy") && name.find("@plt") == std::string_view::npos;
}

struct instruction_counts {
  double total = 0, vector = 0, scalar = 0, fma = 0, branch = 0, call = 0, bits = 0;

  void add(std::string_view insn) {
    auto op = insn.substr(0, insn.find_first_of(" \t"));
    if (op.empty() || op.starts_with("nop") || op == "data16" || op == "cs")
      return;
    ++total;
    if (op.starts_with("j"))
      ++branch;
    if (op.starts_with("call"))
      ++call;
    auto packed = ends_with_any(op, {"ps", "pd", "ph"}) && op.size() > 3;
    auto wide = insn.find("%zmm") != std::string_view::npos   ? 512
                : insn.find("%ymm") != std::string_view::npos ? 256
                : insn.find("%xmm") != std::string_view::npos ? 128
                                                              : 0;
    if (wide >= 256 || (wide == 128 && packed)) {
      ++vector;
      bits = std::max(bits, static_cast<double>(wide));
    } else if (wide == 128 && ends_with_any(op, {"ss", "sd", "sh"})) {
      ++scalar;
    }
    if (op.find("fmadd") != std::string_view::npos || op.find("fmsub") != std::string_view::npos ||
        op.find("fnmadd") != std::string_view::npos)
      ++fma;
  }

  std::map<std::string, double> all() const {
    if (total == 0)
      return {};
    return {
        {"insn.total", total},   {"insn.vector", vector}, {"insn.scalar_fp", scalar},    {"insn.fma", fma},
        {"insn.branch", branch}, {"insn.call", call},     {"insn.max_vector_bits", bits}};
  }
};

} // namespace

std::map<std::string, double> instruction_mix(std::string_view text) {
  instruction_counts counts;
  bool counted = false;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == ':' &&
        line.find('<') != std::string_view::npos) { // "0000000000001100 <kernel>:"
      counted = is_own_function(line.substr(line.find('<') + 1));
      continue;
    }
    auto tab = line.find('\t');
    if (counted && tab != std::string_view::npos)
      counts.add(line.substr(tab + 1));
  }
  return counts.all();
}

} // namespace ke
