// Every attack there is. A new one is a function in a file of its own kind, declared here, and a row.
#include "soak/soak.h"

namespace pelt::soak {

void kill_while_writing(Attack& attack);
void signal_while_writing(Attack& attack);
void outgrow_the_limit(Attack& attack);
void fill_the_disk(Attack& attack);
void read_damaged_files(Attack& attack);
void kill_while_saving(Attack& attack);
void kill_while_working(Attack& attack);

const std::vector<AttackRow> kAttacks = {
    {"kill", "SIGKILL at any moment of a write of several files: the old or the new ones, and the next write tidies",
     kill_while_writing},
    {"signal", "INT, TERM and HUP likewise: nothing temporary stays, and the program ends by that signal",
     signal_while_writing},
    {"limit", "a limit to the size of files: a sentence, and the old files", outgrow_the_limit},
    {"session", "SIGKILL at any moment while a session is saved over itself: it opens as it was or as it is to be",
     kill_while_saving},
#ifdef PELT_WINDOW
    {"work", "SIGKILL at any moment of a window's edits, saves and autosaves: the session opens, 30 s are lost at most",
     kill_while_working},
#endif
    {"full", "a disk that is full to a random byte: a sentence, and the old files", fill_the_disk},
    {"read", "damaged files of every kind that is read: a sentence or the work, in time and within 3 GiB",
     read_damaged_files},
};

}  // namespace pelt::soak
