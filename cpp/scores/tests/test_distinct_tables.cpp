// SPDX-License-Identifier: BSD-3-Clause
#include "scores/distinct_tables.hpp"

#include <algorithm>
#include <vector>

#include "check.hpp"

using namespace hedgehop;
using namespace hedgehop::scores;
using test::Random;

namespace {

// Tables drawn from a few, of sizes 0 to 3: the kept ones hold every table, none twice.
void keeps_each_once(Random& random, std::size_t count, std::size_t values) {
  std::vector<float> flat;
  std::vector<std::int64_t> sizes;
  for (std::size_t e = 0; e < count; ++e) {
    sizes.push_back(static_cast<std::int64_t>(random.below(4)));
    for (std::int64_t k = 0; k < sizes.back(); ++k) flat.push_back(static_cast<float>(random.below(values)));
  }
  const DistinctTables found = TableFinder<float>(flat).find(sizes);
  CHECK(found.offsets.size() == count && found.begins.size() == found.ends.size());

  std::vector<float> kept;
  std::vector<std::vector<float>> tables;
  for (std::size_t k = 0; k < found.begins.size(); ++k) {
    tables.emplace_back(flat.begin() + found.begins[k], flat.begin() + found.ends[k]);
    kept.insert(kept.end(), tables.back().begin(), tables.back().end());
  }
  std::int64_t begin = 0;
  for (std::size_t e = 0; e < count; ++e) {
    const auto first = kept.begin() + found.offsets[e];
    CHECK(std::equal(first, first + sizes[e], flat.begin() + begin));
    begin += sizes[e];
  }
  if (count > 1024) return;  // it may have stopped to look
  std::ranges::sort(tables);
  CHECK(std::ranges::adjacent_find(tables) == tables.end());
}

void zeros_of_either_sign_are_equal() {
  const std::vector<double> flat{0.0, 1.0, -0.0, 1.0};
  const std::vector<std::int64_t> sizes{2, 2};
  CHECK(TableFinder<double>(flat).find(sizes).begins.size() == 1);
}

void stops_to_look_if_most_differ() {
  std::vector<double> flat;
  for (int e = 0; e < 1500; ++e) flat.push_back(e);
  flat.insert(flat.end(), 500, 1.0);
  const std::vector<std::int64_t> sizes(flat.size(), 1);
  CHECK(TableFinder<double>(flat).find(sizes).begins.size() == flat.size());
}

}  // namespace

int main() {
  Random random(5);
  for (int round = 0; round < 200; ++round) keeps_each_once(random, random.below(40), 1 + random.below(4));
  keeps_each_once(random, 3000, 2);
  keeps_each_once(random, 3000, 1000);
  zeros_of_either_sign_are_equal();
  stops_to_look_if_most_differ();
  return test::exit_code();
}
