#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/verbs.h"

namespace pelt::cli {

// For packagers, so help leaves it out.
Verb add_describe_verb(Command& verb) {
  const auto form = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const DescriptionForm& known : kDescriptionForms) {
    names.emplace_back(known.name);
  }
  verb.add_option("FORM", *form, "man, or the shell's name")->required()->one_of(names);
  verb.hide();
  return {{}, [form](const Surroundings& around) -> Result<int> {
            const auto known = std::ranges::find(kDescriptionForms, *form, &DescriptionForm::name);
            PELT_TRY(print_result(known->write(around.line.describe()), TextForm::kLines));
            return 0;
          }};
}

}  // namespace pelt::cli
