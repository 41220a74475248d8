#pragma once

#include "backends/judge/device_words.hpp"
#include "runtime/core/result.hpp"
#include "runtime/process/unique_fd.hpp"

namespace ke {

/// The judge's side of the page that it shares with a device's driver. Owns the mapping. Moves.
class device_page {
public:
  static result<device_page> make();
  device_page(device_page&& other) noexcept;
  device_page& operator=(device_page&&) = delete;
  ~device_page();

  /// What the driver inherits as wire::words_fd.
  int descriptor() const { return file_.get(); }
  wire::device_words& words() { return *words_; }

  /// Makes a request: its number.
  std::uint32_t ask(wire::device_request what);
  /// Spins until the request with this number is answered, at most `most_ns`. Whether it was.
  bool answered(std::uint32_t number, double most_ns) const;

private:
  device_page() = default;
  unique_fd file_;
  wire::device_words* words_ = nullptr;
};

} // namespace ke
