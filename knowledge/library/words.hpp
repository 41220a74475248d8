#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// ASCII letters in lower case, all else as it is.
std::string lower(std::string_view text);

/// Calls `take` with each word worth searching by: lower case, without English stop words, in a form shared
/// by related words ("caches", "cached", "caching", "cache": the same). An identifier counts as a whole and
/// by parts (`_mm256_fmadd_ps`: mm256_fmadd_ps, mm256, fmadd, ps; `sharedMem`: sharedmem, shar, mem). Leaves
/// out places in a file ("kernel.cpp:12:7") and numbers of more than four digits. The view is valid during
/// the call only. Pure.
void each_word(std::string_view text, const std::function<void(std::string_view)>& take);

/// The same as a list, in the order of the text, repetitions included.
std::vector<std::string> words_of(std::string_view text);

/// The form under which a lower-case word is filed: without plural, -ed, -ing and a last -e.
std::string stem(std::string_view word);

} // namespace ke
