#include "config/npy.hpp"

#include "runtime/core/problem.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace ke {
namespace {

failure broken(const std::string& why) {
  return {failure_kind::invalid, "not a usable .npy file: " + why, false};
}

/// What follows `'key':` in the header's dictionary, to its end.
std::string_view header_value(std::string_view header, std::string_view key) {
  auto at = header.find(key);
  if (at != header.npos)
    at = header.find_first_not_of(" :", at + key.size());
  return at == header.npos ? std::string_view{} : header.substr(at);
}

bool parse_shape(std::string_view text, std::vector<std::int64_t>& shape) {
  if (!text.starts_with('('))
    return false;
  for (std::size_t i = 1; i < text.size();) {
    if (text[i] == ')')
      return true;
    if (text[i] == ',' || text[i] == ' ') {
      ++i;
      continue;
    }
    std::int64_t extent = 0;
    auto start = i;
    for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) && i - start < 13; ++i)
      extent = extent * 10 + (text[i] - '0');
    if (i == start || shape.size() == 32)
      return false;
    shape.push_back(extent);
  }
  return false;
}

std::string_view descr_of(dtype type) {
  static constexpr std::array<std::string_view, names_of<dtype>::value.size()> names{
      "<f8", "<f4", "<f2", "<u2", "<i8", "<i4", "|i1", "|u1", "|b1", "|u1", "|u1"};
  return names[static_cast<std::size_t>(type)];
}

} // namespace

result<npy_header> read_npy_header(std::string_view bytes) {
  auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  if (bytes.size() < 10 || !bytes.starts_with("\x93NUMPY") || byte(6) < 1 || byte(6) > 3)
    return broken("it does not begin like one");
  std::size_t at = 10, size = byte(8) | byte(9) << 8;
  if (byte(6) > 1) {
    if (bytes.size() < 12)
      return broken("its header is cut off");
    size |= byte(10) << 16 | byte(11) << 24;
    at = 12;
  }
  if (size > bytes.size() - at || size > (1u << 16))
    return broken("its header is cut off");
  auto text = bytes.substr(at, size);
  npy_header header;
  header.data_at = at + size;
  auto descr = header_value(text, "'descr'");
  auto close = descr.size() > 1 ? descr.find('\'', 1) : descr.npos;
  if (!descr.starts_with('\'') || close == descr.npos)
    return broken("its element type cannot be read");
  header.descr = std::string{descr.substr(1, close - 1)};
  if (!header_value(text, "'fortran_order'").starts_with("False"))
    return broken("it is in Fortran order; save a contiguous C-order array");
  if (!parse_shape(header_value(text, "'shape'"), header.shape))
    return broken("its shape cannot be read");
  std::uint64_t size_of_element =
      header.descr.size() == 3 && std::isdigit(static_cast<unsigned char>(header.descr[2]))
          ? header.descr[2] - '0'
          : 0;
  if (size_of_element == 0)
    return broken("the element type " + header.descr + " is not supported");
  std::uint64_t need = size_of_element;
  for (auto extent : header.shape)
    if (__builtin_mul_overflow(need, static_cast<std::uint64_t>(extent), &need))
      return broken("its shape is too large");
  if (need != bytes.size() - header.data_at)
    return broken("it holds " + std::to_string(bytes.size() - header.data_at) +
                  " bytes of data, its shape needs " + std::to_string(need));
  return header;
}

bool npy_fits(const npy_header& header, dtype type) {
  return header.descr == descr_of(type) || (type == dtype::boolean && header.descr == "|u1");
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (auto extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text.empty() ? "scalar" : text;
}

} // namespace ke
