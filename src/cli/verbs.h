#pragma once

#include <array>
#include <functional>

#include "core/result.h"

namespace pelt::cli {

class Command;
class CommandLine;
struct WindowHooks;

/// What a verb may need beside its flags.
struct Surroundings {
  const WindowHooks& hooks;
  const CommandLine& line;
};

/// A verb whose flags stand in a command line. What they are read into belongs to these two functions.
struct Verb {
  /// Called once the words are read: throws UsageError where flags contradict each other. May be empty.
  std::function<void()> check;
  /// The exit code, or why the work failed (exit code 1).
  std::function<Result<int>(const Surroundings&)> run;
};

// Each adds the flags of one verb and is defined in the file that is named after it. `verb` outlives the Verb.
Verb add_view_verb(Command& verb);
Verb add_render_verb(Command& verb);
Verb add_bake_verb(Command& verb);
Verb add_convert_verb(Command& verb);
Verb add_bind_verb(Command& verb);
Verb add_weights_verb(Command& verb);
Verb add_retarget_verb(Command& verb);
Verb add_session_verb(Command& verb);
Verb add_info_verb(Command& verb);
Verb add_lint_verb(Command& verb);
Verb add_bench_verb(Command& verb);
Verb add_compare_verb(Command& verb);
Verb add_describe_verb(Command& verb);

/// A verb as the program knows it before its flags are added.
struct VerbRow {
  const char* id;
  const char* help;
  Verb (*add)(Command& verb);
};

/// All of them, in the order in which help lists them. The first is meant where none is said.
inline constexpr std::array kVerbs{
    VerbRow{"view", "Open the window (the default)", add_view_verb},
    VerbRow{"render", "Draw a picture, or a numbered sequence, without a window", add_render_verb},
    VerbRow{"bake", "Write the deformed geometry in world space", add_bake_verb},
    VerbRow{"convert", "Write the character anew as glTF, with what is asked for changed", add_convert_verb},
    VerbRow{"bind", "Make weights for a mesh, on its own skeleton or another file's", add_bind_verb},
    VerbRow{"weights", "Change the weights of a character and write it anew", add_weights_verb},
    VerbRow{"retarget", "Put motion of another skeleton on a character, with a certificate", add_retarget_verb},
    VerbRow{"session", "Write a session: the character, and what the flags say of it", add_session_verb},
    VerbRow{"info", "Say what is inside a file", add_info_verb},
    VerbRow{"lint", "Say what is wrong or risky in files", add_lint_verb},
    VerbRow{"bench", "Measure every skinning path on this machine", add_bench_verb},
    VerbRow{"compare", "Difference of methods or backends over a pose, a clip or a set of poses, in numbers",
            add_compare_verb},
    VerbRow{"describe", "Print the manual page, or what a shell reads to complete flags", add_describe_verb},
};

}  // namespace pelt::cli
