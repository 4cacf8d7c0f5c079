#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "numbers.hpp"

namespace hedgehop::bindings {

namespace {

std::pair<Result<double>, std::size_t> numbers_of(nb::bytes text) {
  const std::string_view view(text.c_str(), text.size());
  Numbers numbers;
  {
    nb::gil_scoped_release release;
    numbers = parse_numbers(view);
  }
  const std::size_t count = numbers.values.size();
  return {give(std::move(numbers.values), {count}), numbers.end};
}

}  // namespace

void register_numbers(nb::module_& m) {
  m.def(
      "parse_numbers", &numbers_of, nb::arg("text"),
      nb::sig("def parse_numbers(text: bytes) -> tuple[numpy.typing.NDArray[numpy.float64], int]"),
      "Numbers separated by white space, and the position of the first word that is none (the text's length "
      "if all are).");
}

}  // namespace hedgehop::bindings
