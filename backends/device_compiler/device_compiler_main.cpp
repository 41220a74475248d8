// ke-device-compiler: compiles a candidate in device code, and shows what is in the object that it made. Runs in the
// sandbox of builds: what it reads is hostile.
#include "backends/device_compiler/device_compile.hpp"
#include "runtime/core/codec.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

namespace {

using namespace ke;

enum exit_code { done = 0, refused = 1, bad_usage = 2, lacks = 3 };

constexpr auto usage =
    "usage: ke-device-compiler --arch sm_90 CANDIDATE.cu -o OBJECT [--nvrtc LIBNVRTC] [--include=FOLDER]...\n"
    "           [--arguments TEXT] [--shapes M=512,N=4096...] [-- NVRTC's options]\n"
    "       ke-device-compiler --version [--nvrtc LIBNVRTC]\n"
    "       ke-device-compiler --words OBJECT               what the assembler said\n"
    "       ke-device-compiler --ptx OBJECT                 what the code was assembled from\n"
    "       ke-device-compiler --disassemble CUOBJDUMP OBJECT\n";

constexpr std::string_view include_word = "--include=";

struct command_line {
  device_source source;
  std::string nvrtc, output, words, ptx, disassembler;
  std::vector<std::string> files;
  bool version = false;
};

std::string bytes_of(const std::string& file, bool& there) {
  std::ifstream in{file, std::ios::binary};
  there = static_cast<bool>(in);
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// "M=512,N=4096"; false: it is no such text.
bool read_shape(std::string_view text, launch_shape& to) {
  while (!text.empty()) {
    auto one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    auto equals = one.find('=');
    if (equals == one.npos || equals == 0)
      return false;
    auto& value = to[std::string{one.substr(0, equals)}];
    auto [end, error] = std::from_chars(one.data() + equals + 1, one.data() + one.size(), value);
    if (error != std::errc{} || end != one.data() + one.size())
      return false;
  }
  return true;
}

/// False: it is not understood.
bool read_words(const std::vector<std::string>& words, command_line& c) {
  std::string* next = nullptr;
  bool shapes = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& w = words[i];
    if (next) {
      *std::exchange(next, nullptr) = w;
    } else if (w == "--") {
      c.source.options.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      return true;
    } else if (w == "--arch" || w == "--nvrtc" || w == "-o" || w == "--arguments" || w == "--words" ||
               w == "--ptx" || w == "--disassemble") {
      shapes = false;
      next = w == "--arch"        ? &c.source.arch
             : w == "--nvrtc"     ? &c.nvrtc
             : w == "-o"          ? &c.output
             : w == "--arguments" ? &c.source.arguments
             : w == "--words"     ? &c.words
             : w == "--ptx"       ? &c.ptx
                                  : &c.disassembler;
    } else if (w == "--shapes" || w == "--version") {
      shapes = w == "--shapes";
      c.version = c.version || w == "--version";
    } else if (w.starts_with(include_word)) {
      c.source.includes.push_back(w.substr(include_word.size()));
    } else if (shapes && w.find('=') != w.npos) {
      if (!read_shape(w, c.source.shapes.emplace_back()))
        return false;
    } else if (w.starts_with("-")) {
      return false;
    } else {
      c.files.push_back(w);
    }
  }
  return next == nullptr;
}

int complain(const std::string& text, exit_code code) {
  std::cerr << "ke-device-compiler: " << text << '\n';
  return code;
}

result<device_object> object_in(const std::string& file) {
  bool there = false;
  auto bytes = bytes_of(file, there);
  if (!there)
    return failure{failure_kind::missing, file + " cannot be read"};
  auto object = unpack<device_object>(bytes);
  if (!object)
    return failure{failure_kind::invalid, file + " is no object of device code"};
  return *std::move(object);
}

int print_text(const std::string& file, std::string device_object::* text) {
  auto object = object_in(file);
  if (!object)
    return complain(object.error().text, refused);
  std::cout << (*object).*text << '\n';
  return done;
}

/// Becomes the disassembler, which needs the code as a file.
int disassemble(const std::string& program, const std::string& file) {
  auto object = object_in(file);
  if (!object)
    return complain(object.error().text, refused);
  const char* folder = std::getenv("TMPDIR");
  std::string name = std::string{folder && *folder ? folder : "/tmp"} + "/cubin.XXXXXX";
  int cubin = ::mkstemp(name.data());
  ::unlink(name.c_str()); // it stays open for the program that this process becomes
  const auto& bytes = object->cubin;
  if (cubin < 0 || ::write(cubin, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return complain(name + " cannot be written", lacks);
  name = "/proc/self/fd/" + std::to_string(cubin);
  ::execl(program.c_str(), program.c_str(), "-sass", name.c_str(), nullptr);
  return complain(program + " cannot be started", lacks);
}

int compile(command_line& c, const nvrtc& compiler) {
  bool there = false;
  c.source.text = bytes_of(c.files.front(), there);
  if (!there)
    return complain(c.files.front() + " cannot be read", lacks);
  c.source.name = c.files.front().substr(c.files.front().rfind('/') + 1);
  if (c.source.text.find('\0') != std::string::npos) {
    std::cerr << c.source.name << "(1): error: the source has a null byte\n";
    return refused;
  }
  auto object = compile_device_code(c.source, compiler);
  if (!object && object.error().kind == failure_kind::invalid) {
    std::cerr << object.error().text << '\n';
    return refused;
  }
  if (!object)
    return complain(object.error().text, lacks);
  std::cerr << object->compiler_log << '\n';
  auto packed = pack(*object);
  if (std::ofstream out{c.output, std::ios::binary}; !(out << packed).flush())
    return complain(c.output + " cannot be written; is the disk full?", lacks);
  return done;
}

} // namespace

int main(int argc, char** argv) {
  command_line c;
  bool understood = read_words({argv + 1, argv + argc}, c);
  bool compiles = c.files.size() == 1 && !c.source.arch.empty() && !c.output.empty();
  if (understood && !c.words.empty())
    return print_text(c.words, &device_object::compiler_log);
  if (understood && !c.ptx.empty())
    return print_text(c.ptx, &device_object::ptx);
  if (understood && !c.disassembler.empty() && c.files.size() == 1)
    return disassemble(c.disassembler, c.files.front());
  if (!understood || !(c.version || compiles)) {
    std::cerr << usage;
    return bad_usage;
  }
  if (const char* given = std::getenv("KE_NVRTC"); given && c.nvrtc.empty())
    c.nvrtc = given;
  auto compiler = nvrtc::open(c.nvrtc);
  if (!compiler)
    return complain(compiler.error().text, lacks);
  if (c.version) {
    std::cout << "NVRTC " << compiler->version() << ", ke-device-compiler " << KE_VERSION << '\n';
    return done;
  }
  return compile(c, *compiler);
}
