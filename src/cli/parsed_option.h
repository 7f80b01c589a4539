#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "core/result.h"

namespace pelt::cli {

/// What `parse` makes of a text goes to `store`.
template <typename T, typename Store>
auto parsed_into(Result<T> (*parse)(std::string_view), Store store) {
  return [parse, store](const std::string& text) -> Status {
    PELT_TRY_TO(T value, parse(text));
    store(std::move(value));
    return {};
  };
}

/// Adds an option whose text goes through `parse`; a bad value becomes "--flag: expected ..., got ...", exit code 2.
template <typename T, typename Store>
Option* add_parsed_with(Command& command, const std::string& flag, Result<T> (*parse)(std::string_view), Store store,
                        const std::string& type, const std::string& help) {
  return command.add_text_option(flag, parsed_into<T>(parse, std::move(store)), help)->type_name(type);
}

/// The same into a variable, which must outlive the parsing.
template <typename T>
Option* add_parsed(Command& command, const std::string& flag, Result<T> (*parse)(std::string_view), T& target,
                   const std::string& type, const std::string& help) {
  return add_parsed_with<T>(
      command, flag, parse, [&target](T value) { target = std::move(value); }, type, help);
}

/// The same for a flag that may be repeated; each occurrence takes one value.
template <typename T>
Option* add_repeated(Command& command, const std::string& flag, Result<T> (*parse)(std::string_view),
                     std::vector<T>& target, const std::string& type, const std::string& help) {
  return command
      .add_repeated_option(flag, parsed_into<T>(parse, [&target](T value) { target.push_back(std::move(value)); }),
                           help)
      ->type_name(type);
}

}  // namespace pelt::cli
