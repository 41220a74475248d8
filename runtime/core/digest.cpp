#include "runtime/core/digest.hpp"

#include "runtime/core/hex.hpp"

#define XXH_INLINE_ALL
#include <sodium.h>
#include <xxhash.h>
#include <zstd.h>

#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

namespace ke {
namespace {

/// libsodium chooses the machine's vector instructions when it is told to, and is slow until then.
void choose_instructions() {
  static const int done = sodium_init();
  static_cast<void>(done);
}

class hasher {
public:
  hasher() {
    choose_instructions();
    crypto_generichash_init(&state_, nullptr, 0, 32);
  }
  void add(std::string_view bytes) {
    crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  }
  std::string finish() {
    unsigned char out[32];
    crypto_generichash_final(&state_, out, sizeof out);
    return to_hex({reinterpret_cast<const char*>(out), sizeof out});
  }

private:
  crypto_generichash_state state_;
};

/// Making a context costs five times as much as compressing a source of 2 KB. So each thread keeps one,
/// unless a large input has made it grow.
constexpr std::size_t kept_context_bytes = 64u << 10;
struct free_context {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
  void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
};

} // namespace

std::string keyed_digest(std::string_view key, std::string_view bytes) {
  choose_instructions();
  std::string out(32, '\0');
  if (crypto_generichash(reinterpret_cast<unsigned char*>(out.data()), out.size(),
                         reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                         reinterpret_cast<const unsigned char*>(key.data()), key.size()) != 0)
    throw std::invalid_argument{"a key of " + std::to_string(key.size()) + " bytes"};
  return out;
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string random_key(std::size_t bytes) {
  choose_instructions();
  std::string out(bytes, '\0');
  randombytes_buf(out.data(), out.size());
  return out;
}

std::string digest_of(std::string_view bytes) {
  hasher h;
  h.add(bytes);
  return h.finish();
}

std::string digest_of_parts(std::initializer_list<std::string_view> parts) {
  hasher h;
  for (auto part : parts) {
    std::uint64_t size = part.size();
    h.add({reinterpret_cast<const char*>(&size), sizeof size});
    h.add(part);
  }
  return h.finish();
}

std::string content_name(std::span<const std::string_view> parts) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (auto part : parts) {
    std::uint64_t size = part.size();
    XXH3_128bits_update(&state, &size, sizeof size);
    XXH3_128bits_update(&state, part.data(), part.size());
  }
  XXH128_canonical_t name;
  XXH128_canonicalFromHash(&name, XXH3_128bits_digest(&state));
  return {reinterpret_cast<const char*>(name.digest), sizeof name.digest};
}

std::uint64_t checksum_of(std::string_view bytes) {
  choose_instructions();
  unsigned char out[crypto_generichash_BYTES_MIN];
  crypto_generichash(out, sizeof out, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                     nullptr, 0);
  std::uint64_t sum;
  std::memcpy(&sum, out, sizeof sum);
  return sum;
}

std::string compress(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  std::size_t size = 0;
  if (bytes.size() <= kept_context_bytes) {
    thread_local std::unique_ptr<ZSTD_CCtx, free_context> context{ZSTD_createCCtx()};
    if (!context)
      throw std::bad_alloc{};
    size = ZSTD_compressCCtx(context.get(), out.data(), out.size(), bytes.data(), bytes.size(), 3);
  } else {
    size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3);
  }
  if (ZSTD_isError(size))
    throw std::runtime_error{ZSTD_getErrorName(size)};
  out.resize(size);
  return out;
}

bool decompress(std::string_view bytes, std::string& out, std::size_t limit) {
  out.clear();
  auto size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > limit)
    return false;
  out.resize(size);
  thread_local std::unique_ptr<ZSTD_DCtx, free_context> context{ZSTD_createDCtx()};
  if (!context)
    throw std::bad_alloc{};
  auto got = ZSTD_decompressDCtx(context.get(), out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) || got != size) {
    out.clear();
    return false;
  }
  return true;
}

} // namespace ke
