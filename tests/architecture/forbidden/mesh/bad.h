#include <glad/gl.h>
#include "rig/skeleton.h"
#include <nlohmann/json.hpp>
