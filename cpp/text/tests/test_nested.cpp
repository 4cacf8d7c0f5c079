// SPDX-License-Identifier: BSD-3-Clause
#include "text/nested.hpp"

#include <string>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::text;
using test::Random;

namespace {

void tokens() {
  const NestedText found = scan_nested("# {\n{a: [1, \"2\" b] \"a\"}");
  CHECK((found.kinds == std::vector<std::uint8_t>{0, 3, 0, 2, 2, 3, 1, 3, 1}));
  CHECK((found.values == std::vector<double>{0, 0, 0, 1, 2, 1, 0, 0, 0}));
  CHECK((found.levels == std::vector<std::int32_t>{0, 1, 1, 2, 2, 2, 1, 1, 0}));
  CHECK(found.partners[0] == 8 && found.partners[8] == 0 && found.partners[2] == 6 && found.partners[6] == 2);
  CHECK(found.word_starts.size() == 2 && found.problem == NestedText::Problem::none);
}

void problems() {
  CHECK(scan_nested("[ }]").problem == NestedText::Problem::not_opened);
  CHECK(scan_nested("[ [").place == 2);
  CHECK(scan_nested("[\"").problem == NestedText::Problem::open_quote);
  CHECK(scan_nested("").kinds.empty());
}

// Any bytes are scanned without harm, and brackets point at each other.
void any_bytes(Random& random) {
  const std::string letters = "[]{}\"#\n ,:+-1.ea";
  std::string text;
  for (int k = 0; k < 40; ++k)
    text += letters[static_cast<std::size_t>(random.uniform(0, 1) * 16) % letters.size()];
  const NestedText found = scan_nested(text);
  if (found.problem != NestedText::Problem::none) return;
  for (std::size_t k = 0; k < found.kinds.size(); ++k)
    if (found.kinds[k] < 2)
      CHECK(found.partners[static_cast<std::size_t>(found.partners[k])] == static_cast<long>(k));
}

}  // namespace

int main() {
  tokens();
  problems();
  Random random(1);
  for (int k = 0; k < 1000; ++k) any_bytes(random);
  return test::exit_code();
}
