#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ke {

/// A folder for what compilers and profilers left and printed, as it is: for people and their own tools. The texts
/// are a candidate's: nothing here reads them. One thread.
class raw_output {
public:
  raw_output() = default; ///< keeps nothing
  /// Makes the folder; keeps nothing if that fails, or if the path is empty.
  explicit raw_output(std::filesystem::path folder);

  bool wanted() const { return !folder_.empty(); }
  /// A file that a tool is told to write.
  std::filesystem::path file(std::string_view name) const { return folder_ / name; }
  void keep(std::string_view name, std::string_view text) const;
  void keep_file(std::string_view name, const std::filesystem::path& from) const;
  /// The files of a folder that is no deeper.
  void keep_files(const std::filesystem::path& from) const;

private:
  std::filesystem::path folder_;
};

} // namespace ke
