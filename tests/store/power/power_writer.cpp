// power_writer DIR: what a store does in its life, small: nodes with texts that become rows and texts that
// become files, images, an export, a closing and another opening. Each thing that it was told is safe it
// tells the recorder (power_shim.cpp), at that moment.
#include "tests/store/power/workload.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/store/export_file.hpp"
#include "runtime/store/image_file.hpp"
#include "runtime/store/store_service.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdio>
#include <future>

namespace {

using namespace ke;

/// The recorder's, if it was loaded with us. Not a weak symbol: a linker may settle that on nothing.
void announce(unsigned number) {
  static const auto tell = reinterpret_cast<void (*)(unsigned)>(::dlsym(RTLD_DEFAULT, "ke_power_announce"));
  if (tell)
    tell(number);
}

int fail(const failure& why) {
  std::fprintf(stderr, "%s\n", why.text.c_str());
  return 1;
}

int session(const std::string& dir, std::uint32_t first, std::uint32_t end) {
  store_options options;
  options.dir = dir;
  options.program = "power";
  options.map_bytes = 64u << 20;
  auto store = store_service::open(options);
  if (!store)
    return fail(store.error());
  for (auto i = first; i < end; ++i) {
    (*store)->write(power::node(i), [i](status s) {
      if (s)
        announce(power::first_node + i);
    });
    if (i % 3 == 0) // some alone in their transaction, some together
      (*store)->flush();
    if (i % 10 == 9) {
      (*store)->flush();
      if (auto written = write_image(dir, power::image_head(i + 1), power::image_body(i + 1)); !written)
        return fail(written.error());
      announce(power::first_image + i + 1);
    }
  }
  return 0;
}

int export_some(const std::string& dir) {
  auto out = export_writer::create(dir + "/" + power::export_name, {});
  if (!out)
    return fail(out.error());
  for (std::uint32_t i = 0; i < 4; ++i)
    (*out)->add(shared_kind::blob, power::source(i));
  if (auto done = (*out)->finish(); !done)
    return fail(done.error());
  announce(power::exported);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2)
    return 2;
  const std::string dir = argv[1];
  // What a process leaves that is killed between making a folder and making it durable.
  ::mkdir((dir + "/blobs").c_str(), 0700);
  for (char digit : {'0', '3', '6', '9', 'c', 'f'})
    for (char other : std::string{"0123456789abcdef"})
      ::mkdir((dir + "/blobs/" + digit + other).c_str(), 0700);
  const auto half = ke::power::nodes / 2;
  if (int rc = session(dir, 0, half))
    return rc;
  if (int rc = export_some(dir))
    return rc;
  return session(dir, half, ke::power::nodes);
}
