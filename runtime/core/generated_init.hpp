#pragma once

namespace ke {

/// The `init` of every input of a problem with a generator: its values are what make() returns.
inline constexpr auto generated_init = "generator";

} // namespace ke
