#include "config/endpoint_host.hpp"
#include "config/secret.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("names that promise a secret") {
  for (auto name : {"api_key", "apikey", "API-KEY", "token", "access_token", "secret", "client_secret",
                    "password", "key"})
    CHECK(names_a_secret(name));
  for (auto name :
       {"api_key_env", "tokens", "max_tokens", "authorized_keys", "client_keys", "weight", "keyboard"})
    CHECK_FALSE(names_a_secret(name));
}

TEST_CASE("values that look like keys, and ordinary values that do not") {
  for (auto text :
       {"sk-abcdefghijklmnop", "sk-ant-api03-0123456789", "ghp_0123456789abcdefABCD", "AKIAIOSFODNN7EXAMPLE",
        "Bearer x", "Zq3vT9xLw8Kp2Rf7Yb4Nc6Hd1Js5Mg0", "https://h/v1?k=Zq3vT9xLw8Kp2Rf7Yb4Nc6Hd1"})
    CHECK(looks_like_a_secret(text));
  for (auto text : {"Qwen3-Coder-480B-A35B-Instruct-FP8", "meta-llama/Llama-3.3-70B-Instruct",
                    "/var/lib/very/long/path/of/a/store",
                    "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8", "sk-learn",
                    "OPENAI_API_KEY", "/tmp/tmp.aB3dE6gH9j/store",
                    "ThisIsAVeryLongCamelCaseNameWithoutNumbers", "123e4567-e89b-12d3-a456-426614174000"})
    CHECK_FALSE(looks_like_a_secret(text));
}

TEST_CASE("hosts of addresses") {
  CHECK(host_of_url("http://127.0.0.1:8000/v1") == "127.0.0.1");
  CHECK(host_of_url("https://api.example.com") == "api.example.com");
  CHECK(host_of_url("http://[::1]:80/x") == "::1");
  for (auto url :
       {"", "http://", "ftp://x", "http://a b", "http://x:99999", "http://x:", "http://[::1", "http://x:8o"})
    CHECK_FALSE(host_of_url(url));
  CHECK(host_of_listen("0.0.0.0:0") == "0.0.0.0");
  CHECK(host_of_listen("*:*") == "*");
  CHECK_FALSE(host_of_listen("127.0.0.1"));
  CHECK(is_loopback("localhost"));
  CHECK(is_loopback("127.0.0.1"));
  CHECK(is_loopback("::1"));
  CHECK_FALSE(is_loopback("127.example.org"));
  CHECK_FALSE(is_loopback("10.0.0.1"));
  CHECK_FALSE(is_loopback("0.0.0.0"));
}
