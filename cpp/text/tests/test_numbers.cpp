// SPDX-License-Identifier: BSD-3-Clause
#include "text/numbers.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::text;
using test::Random;

namespace {

void words() {
  const std::string text = " 1 -2.5\n+3e2\t.5 1. -inf inf\r\n 4.9e-324";
  const Numbers all = parse_numbers(text);
  CHECK(all.end == text.size());
  CHECK((all.values == std::vector<double>{1, -2.5, 300, 0.5, 1, -INFINITY, INFINITY, 4.9e-324}));
  CHECK(parse_numbers("").values.empty() && parse_numbers(" \n ").end == 3);
}

void stops() {
  for (const char* bad : {"x", "1-2", "1.2.3", "+-1", "+", "-", "--1", "0x10", "1e", "1e999", "1_0", "1,2"}) {
    const Numbers found = parse_numbers(std::string("7 8 ") + bad + " 9");
    CHECK(found.values.size() == 2 && found.end == 4);
  }
}

// Seventeen digits give every double back.
void round_trips(Random& random) {
  const double value = random.uniform(-1, 1) * std::pow(10.0, random.uniform(-300, 300));
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  const Numbers found = parse_numbers(text);
  CHECK(found.values.size() == 1 && found.values[0] == value);
}

}  // namespace

int main() {
  words();
  stops();
  Random random(1);
  for (int k = 0; k < 1000; ++k) round_trips(random);
  return test::exit_code();
}
