#pragma once

#include "backends/cpu-cpp/ke.h"
#include "runtime/playbook/read/ast.hpp"
#include "runtime/playbook/read/parser.hpp"
#include "runtime/playbook/read/poly.hpp"
#include "tests/places.hpp"
#include "tests/playbook/references.hpp"

#include <nlohmann/json.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

namespace ke::playbook_test {

struct request {
  std::string operation = "draft";
  std::int64_t draft = 0;
  std::uint64_t seed = 1;
  nlohmann::json parent; ///< null or {"point": ..}
  std::vector<std::string> tried;
  bool bitwise = false;
  int threads = 2;
  std::string isa = "avx2 fma";
  std::string backend = "cpu-cpp";
  std::string formula;
  std::string language = "c++";
  std::string cores = "2";
};

/// The prompt that a campaign would send: knowledge/ke_task.md.
inline std::string prompt_of(const example& e, const request& r) {
  using json = nlohmann::json;
  json tensors = json::array(), scalars = json::array();
  for (const auto& t : e.tensors)
    tensors.push_back({{"name", t.name}, {"role", t.role}, {"dtype", t.dtype}, {"shape", t.shape}});
  for (const auto& [name, value] : e.scalars)
    scalars.push_back({{"name", name}, {"type", "double"}, {"value", value}});
  json block = {
      {"version", 1},
      {"problem",
       {{"name", e.name},
        {"family", e.family},
        {"formula", r.formula},
        {"dims", e.dims},
        {"tensors", tensors},
        {"scalars", scalars},
        {"workloads", json::array({{{"name", "w"}, {"dims", e.workload}, {"weight", 1.0}}})},
        {"reference", {{"language", r.language}, {"source", e.source}}},
        {"tolerance", {{"bitwise", r.bitwise}}},
        {"policy",
         {{"vendor_libraries", false}, {"threads", r.threads}, {"fast_math", false}, {"cache", "hot"}}}}},
      {"target",
       {{"backend", r.backend},
        {"language", "c++"},
        {"device", "cpu:test"},
        {"facts", {{"isa", r.isa}, {"cores", r.cores}}}}},
      {"operation", r.operation},
      {"draft", r.draft},
      {"seed", r.seed},
      {"diagnosis", nullptr},
      {"parent", r.parent},
      {"tried", r.tried}};
  return "```ke-task\n" + block.dump() + "\n```\nWrite a faster kernel.\n";
}

/// The code of an answer; empty if it declines.
inline std::string code_of(const std::string& answer) {
  auto begin = answer.find("```cpp\n");
  if (begin == std::string::npos)
    return {};
  begin += 7;
  auto end = answer.find("\n```", begin);
  return end == std::string::npos ? std::string{} : answer.substr(begin, end - begin + 1);
}

/// The point in the second line of a source.
inline nlohmann::json point_of(const std::string& source) {
  auto at = source.find("// ke-point: ");
  return at == std::string::npos
             ? nlohmann::json()
             : nlohmann::json::parse(source.substr(at + 13, source.find('\n', at) - at - 13));
}

inline std::int64_t extent_of(const std::string& text, const sizes& at) {
  auto p = playbook::to_poly(playbook::parse_extent(text));
  for (const auto& [name, value] : at)
    p = p->substitute(name, playbook::poly::constant(value));
  return *p->as_constant();
}

inline std::size_t bytes_of(const std::string& dtype) {
  return dtype == "f64" || dtype == "i64"         ? 8
         : dtype == "f16" || dtype == "bf16"      ? 2
         : dtype == "f8e4m3" || dtype == "f8e5m2" ? 1
                                                  : 4;
}

/// Buffers of one call: inputs drawn from `seed`, outputs poisoned, a margin of canaries behind every tensor.
class call_data {
public:
  static constexpr std::size_t margin = 256;

  call_data(const example& e, const sizes& at, unsigned seed) : example_(e) {
    std::mt19937 random{seed};
    std::normal_distribution<float> normal;
    for (const auto& t : e.tensors) {
      std::int64_t count = 1;
      for (const auto& s : t.shape)
        count *= std::max<std::int64_t>(0, extent_of(s, at));
      counts_.push_back(count);
      // Off by one element: pointers are only element-aligned.
      auto size = bytes_of(t.dtype);
      buffers_.emplace_back(static_cast<std::size_t>(count) * size + size + margin,
                            static_cast<unsigned char>(0xAB));
      auto* p = buffers_.back().data() + size;
      if (t.role != "out")
        for (std::int64_t i = 0; i < count; ++i) {
          if (t.dtype == "f32") {
            float v = normal(random);
            std::memcpy(p + i * 4, &v, 4);
          } else if (t.dtype == "f64") {
            double v = normal(random);
            std::memcpy(p + i * 8, &v, 8);
          } else if (t.dtype == "f16") {
            auto v = static_cast<_Float16>(normal(random));
            std::memcpy(p + i * 2, &v, 2);
          } else if (t.dtype == "bf16") {
            auto v = ke_float_to_bf16(normal(random));
            std::memcpy(p + i * 2, &v, 2);
          } else if (t.dtype == "f8e4m3") {
            p[i] = ke_float_to_f8e4m3(normal(random));
          } else if (t.dtype == "f8e5m2") {
            p[i] = ke_float_to_f8e5m2(normal(random));
          } else if (t.dtype == "i32") {
            auto v = static_cast<std::int32_t>(random() % 21) - 10;
            std::memcpy(p + i * 4, &v, 4);
          }
        }
      pointers_.push_back(p);
    }
    for (const auto& [name, value] : e.scalars)
      scalars_.push_back(value);
    for (const auto& d : e.dims)
      dims_.push_back(at.at(d));
  }

  void call(void* entry) {
    reinterpret_cast<void (*)(void**, const double*, const std::int64_t*)>(entry)(
        pointers_.data(), scalars_.data(), dims_.data());
  }
  bool margins_intact() const {
    for (std::size_t k = 0; k < buffers_.size(); ++k)
      for (std::size_t i = 0; i < margin; ++i)
        if (buffers_[k][buffers_[k].size() - 1 - i] != 0xAB)
          return false;
    return true;
  }
  /// The largest difference over the largest magnitude of the outputs; infinity if a value is not finite on
  /// one side only.
  double difference(const call_data& reference) const {
    double worst = 0, size = 1e-30;
    for (std::size_t k = 0; k < example_.tensors.size(); ++k) {
      if (example_.tensors[k].role == "in")
        continue;
      for (std::int64_t i = 0; i < counts_[k]; ++i) {
        auto a = value(k, i), b = reference.value(k, i);
        size = std::max(size, std::abs(b));
        if (std::isnan(a) != std::isnan(b))
          return INFINITY;
        if (!std::isnan(a) && a != b)
          worst = std::max(worst, std::abs(a - b));
      }
    }
    return worst / size;
  }
  bool same_bits(const call_data& reference) const { return buffers_ == reference.buffers_; }

private:
  double value(std::size_t k, std::int64_t i) const {
    const auto& dtype = example_.tensors[k].dtype;
    const auto* p =
        static_cast<const unsigned char*>(pointers_[k]) + static_cast<std::size_t>(i) * bytes_of(dtype);
    if (dtype == "f64") {
      double v;
      std::memcpy(&v, p, 8);
      return v;
    }
    if (dtype == "i32") {
      std::int32_t v;
      std::memcpy(&v, p, 4);
      return v;
    }
    if (dtype == "f16") {
      _Float16 v;
      std::memcpy(&v, p, 2);
      return static_cast<double>(v);
    }
    if (dtype == "bf16") {
      std::uint16_t v;
      std::memcpy(&v, p, 2);
      return ke_bf16_to_float(v);
    }
    if (dtype == "f8e4m3")
      return ke_f8e4m3_to_float(*p);
    if (dtype == "f8e5m2")
      return ke_f8e5m2_to_float(*p);
    float v;
    std::memcpy(&v, p, 4);
    return v;
  }

  const example& example_;
  std::vector<std::int64_t> counts_, dims_;
  std::vector<std::vector<unsigned char>> buffers_;
  std::vector<void*> pointers_;
  std::vector<double> scalars_;
};

/// Several sources of one problem in one shared object, each in a namespace of its own. `entry(k)` calls the
/// k-th.
class compiled {
public:
  compiled(const example& e, const std::vector<std::string>& sources, const std::string& flags) {
    static int number = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("ke-playbook-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directories(folder_);
    std::ofstream file{folder_ / "all.cpp"};
    // Headers first: what a candidate includes within its namespace is then there already.
    file << "#include \"ke.h\"\n#if defined(__F16C__)\n#include <immintrin.h>\n#endif\n#include "
            "<algorithm>\n#include <cmath>\n#include <cstdint>\n#include <cstring>\n#include "
            "<limits>\n#include <memory>\n#include <new>\n#include <utility>\n#include <vector>\n";
    for (std::size_t k = 0; k < sources.size(); ++k) {
      auto id = std::to_string(k);
      file << "#define kernel kernel_" << id << "\nnamespace candidate_" << id << " {\n#line 1 \"candidate_"
           << id << "\"\n"
           << sources[k] << "\n}\nextern \"C\" void entry_" << id
           << "(void** t, const double* s, const int64_t* d) {\n  (void)s;\n  candidate_" << id
           << "::kernel(";
      std::size_t at = 0;
      for (const auto& t : e.tensors) {
        auto type = t.dtype == "f64"         ? "double"
                    : t.dtype == "f16"       ? "_Float16"
                    : t.dtype == "bf16"      ? "uint16_t"
                    : bytes_of(t.dtype) == 1 ? "uint8_t"
                    : t.dtype == "i32"       ? "int32_t"
                    : t.dtype == "i64"       ? "int64_t"
                                             : "float";
        file << (at ? ", " : "") << "(" << (t.role == "in" ? "const " : "") << type << "*)t[" << at << "]";
        ++at;
      }
      for (std::size_t i = 0; i < e.scalars.size(); ++i)
        file << ", s[" << i << "]";
      for (std::size_t i = 0; i < e.dims.size(); ++i)
        file << ", d[" << i << "]";
      file << ");\n}\n#undef kernel\n";
    }
    file.close();
    auto object = (folder_ / "all.so").string();
    auto command = std::string{"g++ -std=c++20 -march=native -fopenmp -shared -fPIC -I"} +
                   ke::test::source_dir() + "/backends/cpu-cpp" + " " + flags + " -o " + object + " " +
                   (folder_ / "all.cpp").string() + " 2> " + (folder_ / "log").string();
    if (std::system(command.c_str()) != 0) {
      std::ifstream log{folder_ / "log"};
      throw std::runtime_error{e.name + ": " +
                               std::string{std::istreambuf_iterator<char>{log}, {}}.substr(0, 4000)};
    }
    handle_ = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_)
      throw std::runtime_error{::dlerror()};
  }
  compiled(const compiled&) = delete;
  compiled& operator=(const compiled&) = delete;
  // The object stays mapped: OpenMP's threads may still be in its pages.
  ~compiled() { std::filesystem::remove_all(folder_); }

  void* entry(std::size_t k) const { return ::dlsym(handle_, ("entry_" + std::to_string(k)).c_str()); }

private:
  std::filesystem::path folder_;
  void* handle_ = nullptr;
};

} // namespace ke::playbook_test
