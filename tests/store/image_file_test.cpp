#include "runtime/store/image_file.hpp"

#include "runtime/core/digest.hpp"
#include "tests/store/temp_store.hpp"

using namespace ke;

namespace {

image_header header_of(std::uint32_t campaign) {
  image_header h;
  h.store = "s";
  h.program = "1";
  h.layout = "l";
  h.campaign = campaign;
  h.records = 12;
  h.wall_ms = 34;
  h.last_record = digest_of("last");
  return h;
}

} // namespace

TEST_CASE("an image is read back as it was written, and the next one takes its place") {
  temp_dir dir;
  CHECK(read_image(dir.path(), 3).error().kind == failure_kind::not_found);
  for (const auto& body : {std::string{"state"}, std::string{}, std::string(100'000, 'x')}) {
    REQUIRE(write_image(dir.path(), header_of(3), body));
    auto back = read_image(dir.path(), 3);
    REQUIRE(back);
    CHECK(back->body == body);
    CHECK(back->header.records == 12);
    CHECK(back->header.body_digest == digest_of(body));
  }
  CHECK(read_image(dir.path(), 4).error().kind == failure_kind::not_found);
}

TEST_CASE("an image that is cut anywhere or has one wrong byte anywhere is corrupt") {
  temp_dir dir;
  REQUIRE(write_image(dir.path(), header_of(1), "the folded state"));
  auto path = image_path(dir.path(), 1);
  std::ifstream in{path, std::ios::binary};
  const std::string whole{std::istreambuf_iterator<char>{in}, {}};
  auto rewrite = [&](const std::string& bytes) {
    std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
    return read_image(dir.path(), 1);
  };
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(rewrite(whole.substr(0, size)).error().kind == failure_kind::corrupt);
  std::size_t unnoticed = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto bytes = whole;
    bytes[at] ^= 0x10;
    auto read = rewrite(bytes);
    if (read) { // a changed head is another head: whoever uses the image compares it
      ++unnoticed;
      CHECK(read->body == "the folded state");
      CHECK_FALSE(pack(read->header) == pack([&] {
                    auto h = header_of(1);
                    h.body_bytes = 16;
                    h.body_digest = digest_of("the folded state");
                    return h;
                  }()));
    }
  }
  CHECK(unnoticed < whole.size() / 2);
}

TEST_CASE("a folder that can't be written gives a failure and leaves the old image") {
  temp_dir dir;
  REQUIRE(write_image(dir.path(), header_of(1), "old"));
  std::filesystem::create_directory(image_path(dir.path(), 1) + ".part"); // where the new bytes would go
  CHECK_FALSE(write_image(dir.path(), header_of(1), "new"));
  CHECK(read_image(dir.path(), 1)->body == "old");
}
