#include "mesh/bad.h"
