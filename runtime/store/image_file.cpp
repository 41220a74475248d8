#include "runtime/store/image_file.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/store/durable_file.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>

namespace ke {
namespace {

constexpr std::string_view image_magic = "ke image 1\n";

failure broken(const std::string& path, const std::string& what) {
  return {failure_kind::corrupt,
          "the image " + path + " " + what + "; it is only a cache and may be deleted"};
}

} // namespace

std::string image_path(const std::string& dir, std::uint32_t campaign) {
  return dir + "/images/" + std::to_string(campaign);
}

status write_image(const std::string& dir, image_header header, std::string_view body) {
  header.body_bytes = body.size();
  header.body_digest = digest_of(body);
  auto head = pack(header);
  auto size = static_cast<std::uint32_t>(head.size());
  std::string bytes;
  bytes.reserve(image_magic.size() + sizeof size + head.size() + body.size());
  bytes += image_magic;
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += head;
  bytes += body;
  auto path = image_path(dir, header.campaign);
  if (int rc = make_folder(dir + "/images"))
    return failure{failure_kind::disk_full, dir + "/images: " + std::strerror(rc)};
  if (auto rc = replace_file(path, bytes); rc != 0)
    return failure{failure_kind::disk_full, path + ": " + std::strerror(rc)};
  return ok;
}

result<image_file> read_image(const std::string& dir, std::uint32_t campaign) {
  auto path = image_path(dir, campaign);
  std::ifstream in{path, std::ios::binary};
  if (!in)
    return failure{failure_kind::not_found, "there is no image " + path};
  std::error_code none;
  auto length = std::filesystem::file_size(path, none);
  std::string start(image_magic.size(), ' ');
  std::uint32_t size = 0;
  if (none || !in.read(start.data(), static_cast<std::streamsize>(start.size())) || start != image_magic ||
      !in.read(reinterpret_cast<char*>(&size), sizeof size) || size > length)
    return broken(path, "has no head");
  std::string head(size, ' ');
  if (!in.read(head.data(), static_cast<std::streamsize>(head.size())))
    return broken(path, "has no head");
  auto header = unpack<image_header>(head);
  if (!header || header->body_bytes > length)
    return broken(path, "has a damaged head");
  image_file image{std::move(*header), {}};
  image.body.resize(image.header.body_bytes);
  if (!in.read(image.body.data(), static_cast<std::streamsize>(image.body.size())) ||
      digest_of(image.body) != image.header.body_digest)
    return broken(path, "is cut or damaged");
  return image;
}

} // namespace ke
