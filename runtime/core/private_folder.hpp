#pragma once

#include "runtime/core/result.hpp"

#include <filesystem>
#include <string_view>

namespace ke {

/// A fresh folder of one user, removed with its content by the destructor; what can't be removed stays,
/// silently. One owner; any thread.
class private_folder {
public:
  private_folder() = default; ///< none
  /// `parent`/`prefix`XXXXXX, mode 0700. Makes `parent` if needed; empty: the system's temporary folder.
  /// Fails: `missing`, naming the folder and the way out.
  static result<private_folder> make(const std::filesystem::path& parent, std::string_view prefix);

  private_folder(private_folder&& other) noexcept;
  private_folder& operator=(private_folder&& other) noexcept;
  ~private_folder();

  const std::filesystem::path& path() const { return path_; } ///< empty: none
  /// Mode 0755: a sandbox runs as another user.
  void let_others_read() const;

private:
  explicit private_folder(std::filesystem::path path) : path_{std::move(path)} {}
  std::filesystem::path path_;
};

/// A program of ours in the same folder as this one.
std::filesystem::path beside_this_program(std::string_view name);

} // namespace ke
