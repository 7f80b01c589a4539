#pragma once

#include <functional>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "core/result.h"

namespace pelt::cli {

/// Adds an option whose text goes through `parse`; a bad value becomes "--flag: expected ..., got ...", exit code 2.
template <typename T, typename Store>
CLI::Option* add_parsed_with(CLI::App& app, const std::string& flag, Result<T> (*parse)(std::string_view), Store store,
                             const std::string& type, const std::string& help) {
  return app
      .add_option_function<std::string>(
          flag,
          [flag, parse, store](const std::string& text) {
            Result<T> value = parse(text);
            if (!value) {
              throw CLI::ValidationError(flag, value.error().message);
            }
            store(*std::move(value));
          },
          help)
      ->type_name(type);
}

/// The same into a variable, which must outlive the parsing.
template <typename T>
CLI::Option* add_parsed(CLI::App& app, const std::string& flag, Result<T> (*parse)(std::string_view), T& target,
                        const std::string& type, const std::string& help) {
  return add_parsed_with(
      app, flag, parse, [&target](T value) { target = std::move(value); }, type, help);
}

}  // namespace pelt::cli
