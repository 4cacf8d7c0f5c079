// SPDX-License-Identifier: BSD-3-Clause
// Nested lists of words and numbers, as lenient as toulbar2 reads JSON: quotes, commas and colons are
// optional, and lines that begin with # are comments. The text becomes flat arrays, one entry a token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/numbers.hpp"

namespace hedgehop::text {

enum class TokenKind : std::uint8_t { open, close, number, word };

struct NestedText {
  enum class Problem : std::uint8_t { none, not_opened, not_closed, open_quote };

  std::vector<std::uint8_t> kinds;     // TokenKind of each token
  std::vector<double> values;          // of a number itself, of a word its place among the distinct ones
  std::vector<std::int64_t> starts;    // where the token begins in the text
  std::vector<std::int64_t> partners;  // of a bracket, the token of the other one
  std::vector<std::int32_t> levels;    // brackets around the token
  std::vector<std::int64_t> word_starts, word_stops;  // distinct words, without quotes
  Problem problem = Problem::none;
  std::size_t place = 0;  // of the problem in the text
};

class NestedScanner {
 public:
  explicit NestedScanner(std::string_view text) : text_(text) {}

  NestedText scan() {
    bool line_begins = true;
    while (place_ < text_.size() && found_.problem == NestedText::Problem::none) {
      const char c = text_[place_];
      if (c == '#' && line_begins) {
        while (place_ < text_.size() && text_[place_] != '\n') ++place_;
        continue;
      }
      line_begins = c == '\n';
      step(c);
    }
    if (found_.problem == NestedText::Problem::none && !open_.empty())
      fail(NestedText::Problem::not_closed, static_cast<std::size_t>(found_.starts[open_.back()]));
    return std::move(found_);
  }

 private:
  void step(char c) {
    if (is_space(c) || c == ',' || c == ':') {
      ++place_;
    } else if (c == '[' || c == '{') {
      open_.push_back(found_.kinds.size());
      add(TokenKind::open, 0.0, place_++, static_cast<std::int32_t>(open_.size()) - 1);
    } else if (c == ']' || c == '}') {
      close();
    } else if (c == '"') {
      const std::size_t stop = text_.find('"', place_ + 1);
      if (stop == std::string_view::npos) return fail(NestedText::Problem::open_quote, place_);
      item(place_, place_ + 1, stop);
      place_ = stop + 1;
    } else {
      std::size_t stop = place_;
      while (stop < text_.size() && !is_space(text_[stop]) && !ends_word(text_[stop])) ++stop;
      item(place_, place_, stop);
      place_ = stop;
    }
  }

  static bool ends_word(char c) {
    return c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}' || c == '"';
  }

  void close() {
    if (open_.empty()) return fail(NestedText::Problem::not_opened, place_);
    const std::size_t opened = open_.back();
    open_.pop_back();
    found_.partners[opened] = static_cast<std::int64_t>(found_.kinds.size());
    add(TokenKind::close, 0.0, place_++, static_cast<std::int32_t>(open_.size()));
    found_.partners.back() = static_cast<std::int64_t>(opened);
  }

  // A number if it looks like one, else a word.
  void item(std::size_t start, std::size_t first, std::size_t stop) {
    const std::string_view word = text_.substr(first, stop - first);
    double value = 0.0;
    const bool numeric =
        !word.empty() && std::string_view("+-.0123456789").find(word.front()) != std::string_view::npos;
    const bool is_number = numeric && parse_number(word, value);
    if (!is_number) value = static_cast<double>(number_of(word, first, stop));
    add(is_number ? TokenKind::number : TokenKind::word, value, start,
        static_cast<std::int32_t>(open_.size()));
  }

  std::size_t number_of(std::string_view word, std::size_t first, std::size_t stop) {
    const auto [entry, is_new] = words_.try_emplace(word, words_.size());
    if (is_new) {
      found_.word_starts.push_back(static_cast<std::int64_t>(first));
      found_.word_stops.push_back(static_cast<std::int64_t>(stop));
    }
    return entry->second;
  }

  void add(TokenKind kind, double value, std::size_t start, std::int32_t level) {
    found_.kinds.push_back(static_cast<std::uint8_t>(kind));
    found_.values.push_back(value);
    found_.starts.push_back(static_cast<std::int64_t>(start));
    found_.partners.push_back(-1);
    found_.levels.push_back(level);
  }

  void fail(NestedText::Problem problem, std::size_t place) {
    found_.problem = problem;
    found_.place = place;
  }

  std::string_view text_;
  std::size_t place_ = 0;
  NestedText found_;
  std::vector<std::size_t> open_;
  std::unordered_map<std::string_view, std::size_t> words_;
};

inline NestedText scan_nested(std::string_view text) {
  return NestedScanner(text).scan();
}

}  // namespace hedgehop::text
