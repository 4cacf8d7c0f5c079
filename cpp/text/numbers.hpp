// SPDX-License-Identifier: BSD-3-Clause
// Numbers in a text, separated by white space: the tables of model files.
//
// Decimal and scientific notation, "inf" and "-inf"; the same doubles on every platform, whatever the locale.
// Parsing stops at the first word that is not a number in the range of doubles, and says where.
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

#if !defined(__cpp_lib_to_chars)
#include <cmath>
#include <locale>
#include <sstream>
#include <string>
#endif

namespace hedgehop::text {

struct Numbers {
  std::vector<double> values;
  std::size_t end = 0;  // length of the text, or where the first word starts that is no number
};

inline bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

// Whether a whole word is a number, which is stored.
inline bool parse_number(std::string_view word, double& value) {
  const bool has_plus = word.front() == '+';
  if (has_plus) word.remove_prefix(1);
  if (word.empty() || (has_plus && word.front() == '-')) return false;
#if defined(__cpp_lib_to_chars)
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && rest == word.data() + word.size();
#else  // libraries without from_chars for doubles: slower, same values
  if (word.find_first_of("xX") != std::string_view::npos) return false;
  if (word == "inf" || word == "-inf") {
    value = word.front() == '-' ? -INFINITY : INFINITY;
    return true;
  }
  std::istringstream stream{std::string(word)};
  stream.imbue(std::locale::classic());
  stream >> value;
  return !stream.fail() && stream.eof();
#endif
}

inline Numbers parse_numbers(std::string_view text) {
  Numbers result;
  result.values.reserve(text.size() / 4);
  std::size_t place = 0;
  while (true) {
    while (place < text.size() && is_space(text[place])) ++place;
    std::size_t stop = place;
    while (stop < text.size() && !is_space(text[stop])) ++stop;
    double value = 0.0;
    if (stop == place || !parse_number(text.substr(place, stop - place), value)) break;
    result.values.push_back(value);
    place = stop;
  }
  result.end = place;
  return result;
}

}  // namespace hedgehop::text
