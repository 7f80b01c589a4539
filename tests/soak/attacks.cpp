// Every attack there is. A new one is a function in a file of its own kind, declared here, and a row.
#include "soak/soak.h"

namespace pelt::soak {

void kill_while_writing(Attack& attack);

const std::vector<AttackRow> kAttacks = {
    {"kill", "SIGKILL at any moment of a write: the old or the new content", kill_while_writing},
};

}  // namespace pelt::soak
