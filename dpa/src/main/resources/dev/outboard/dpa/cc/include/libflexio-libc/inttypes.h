#include <inttypes.h>
