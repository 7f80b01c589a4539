#include <glad/gl.h>
#include "rig/skeleton.h"
