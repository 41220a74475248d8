#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// ASCII letters in lower case, all else as it is.
std::string lower(std::string_view text);

/// Calls `take` with each word of the text that is worth searching by: lower case, without English stop
/// words, in a form that related words share ("caches", "cached", "caching", "cache": the same). An
/// identifier counts as a whole and by its parts (`_mm256_fmadd_ps`: mm256_fmadd_ps, mm256, fmadd, ps;
/// `sharedMem`: sharedmem, shar, mem). Numbers that are places in a file ("kernel.cpp:12:7") and numbers of
/// more than four digits are left out. The view is valid during the call only. Pure.
void each_word(std::string_view text, const std::function<void(std::string_view)>& take);

/// The same as a list, in the order of the text, repetitions included.
std::vector<std::string> words_of(std::string_view text);

/// The form of one lower-case word under which it is filed: plural, -ed, -ing and a last -e taken off.
std::string stem(std::string_view word);

} // namespace ke
