#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/progress.h"
#include "core/result.h"
#include "mesh/influences.h"
#include "rig/character.h"

namespace pelt::edit {

/// Weights by name, as a text says them.
struct WeightTable {
  struct Part {
    int mesh = 0;
    int primitive = 0;
    std::string name;                     ///< of the mesh, for whoever reads the text
    std::size_t vertex_count = 0;         ///< of the primitive that they are of
    std::vector<std::uint32_t> vertices;  ///< ascending
    std::vector<std::uint32_t> lines;     ///< of the text, counted from 1, by vertex
    mesh::Influences rows;                ///< row r is that of vertices[r]; joints index `joints` of the table
  };
  std::vector<std::string> joints;  ///< each once
  std::vector<Part> parts;
};

/// All weights of the meshes that hang on a skin, one vertex a line, so that two texts can be compared line by line:
///
///   {"pelt": "weights", "version": 1}
///   {"mesh": 0, "primitive": 0, "name": "body", "vertices": 1314}
///   [0, {"hip": 0.75, "leg_l": 0.25}]
///
/// Joints are named by name, or as "#12" by their index where the name is empty, repeated or begins with #. Weights
/// have the digits that give the same floats again. Vertices without weights have no line.
/// @returns an empty text where `progress` asked to stop
std::string weights_as_text(const rig::Character& character, const Progress& progress = {});

/// What such a text says. Lines in any order below that of their part; vertices may be left out, and keep what they
/// have when the table is used. Fails with the line that is wrong, saying what was expected.
Result<WeightTable> read_weights_text(std::string_view text);

/// [joints of the table] the slots of a skin that they have; 0 for those that the table's rows of the mesh do not name.
/// Fails naming a joint of those rows that the skin lacks, and the first line that has it.
Result<std::vector<std::uint16_t>> slots_in(const WeightTable& table, const rig::Character& character, int mesh,
                                            int skin);

}  // namespace pelt::edit
