// SPDX-License-Identifier: BSD-3-Clause
#include "text/tables.hpp"

#include <limits>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::text;

namespace {

const std::vector<std::int64_t> counts{2, 3}, arities{2, 1, 0}, members{0, 1, 1}, sizes{6, 3, 1};
const std::vector<std::int64_t> firsts{0, 6, 9}, rows{2, -1, 1};
const std::vector<double> defaults{7, 0, 0};

Tables filled(const std::vector<double>& values) {
  return fill_tables({values, defaults, firsts, rows, arities, members, counts}, sizes);
}

void tuples_and_whole_tables() {
  const Tables found = filled({0, 2, 5, 1, 0, 4, 1, 2, 3, 9});
  CHECK(found.bad == -1);
  CHECK((found.entries == std::vector<double>{7, 7, 5, 4, 7, 7, 1, 2, 3, 9}));
}

void wrong_numbers() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(filled({0, 3, 5, 1, 0, 4, 1, 2, 3, 9}).bad == 1);
  CHECK(filled({0, 2, 5, -1, 0, 4, 1, 2, 3, 9}).bad == 3);
  CHECK(filled({0, 2, 5, 1, 0.5, 4, 1, 2, 3, 9}).bad == 4);
  CHECK(filled({0, 2, nan, 1, 0, 4, 1, 2, 3, 9}).bad == 2);
  CHECK(filled({0, 2, 5, 1, 0, 4, 1, nan, 3, 9}).bad == 7);
}

void outlines() {
  const std::vector<double> whole{-2, 0, 1, 7, 1, 0, 2, 5, 2, 1, 0, 0, -1, 0, 3, 0};
  const Outline found = outline(whole, 2, 3);
  CHECK(found.end == whole.size());
  CHECK((found.arities == std::vector<std::int64_t>{-2, 2, 0}));
  CHECK((found.members == std::vector<std::int64_t>{0, 1, 1, 0}));
  CHECK((found.rows == std::vector<std::int64_t>{1, -1, 0}));
  CHECK((found.heads == std::vector<std::int64_t>{0, 8, 13}));
  CHECK(outline(whole, 2, 2).end == 13);
  for (std::size_t cut = 0; cut < whole.size(); ++cut)
    CHECK(outline(std::span(whole).first(cut), 2, 3).end == (cut < 8 ? 0U : cut < 13 ? 8U : 13U));
  CHECK(outline(std::vector<double>{1, 2, 0, 0}, 2, 1).end == 0);   // no such variable
  CHECK(outline(std::vector<double>{3, 0, 0, 0}, 2, 1).end == 0);   // more than there are
  CHECK(outline(std::vector<double>{0, -1, 0}, 2, 1).end == 0);     // a global function
  CHECK(outline(std::vector<double>{0, 1, -1}, 2, 1).end == 0);     // nothing is shared yet
  CHECK(outline(std::vector<double>{0, 1, 1e300}, 2, 1).end == 0);  // more tuples than numbers
}

}  // namespace

int main() {
  outlines();
  tuples_and_whole_tables();
  wrong_numbers();
  return test::exit_code();
}
