#include "runtime/core/device_name.hpp"

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("devices of one kind in one machine have names of their own, and a target means all of them by the "
          "kind") {
  CHECK(device_name("nvidia-h200", 1) == "nvidia-h200");
  CHECK(device_name("nvidia-h200", 2) == "nvidia-h200#2");
  CHECK(kind_of_device("nvidia-h200#2") == "nvidia-h200");
  CHECK(kind_of_device("nvidia-h200") == "nvidia-h200");
  CHECK(names_device("nvidia-h200", "nvidia-h200#2"));
  CHECK(names_device("nvidia-h*", "nvidia-h200#2"));
  CHECK(names_device("nvidia-h200#2", "nvidia-h200#2"));
  CHECK_FALSE(names_device("nvidia-h200#2", "nvidia-h200"));
  CHECK_FALSE(names_device("nvidia-h100", "nvidia-h200#2"));
}

TEST_CASE("a name that ends in no number is a kind as it is") {
  for (const char* name : {"cpu:AMD EPYC #x", "#", "a#", "", "cpu:#1 of its kind"})
    CHECK(kind_of_device(name) == name);
  CHECK(kind_of_device("#7").empty());
}
