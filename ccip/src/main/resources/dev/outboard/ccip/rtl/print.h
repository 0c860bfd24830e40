// Verilator's library prints with this; see shim.cpp.
void outboard_print(const char* format, ...);

// And ends a simulation with this, which it does not declare itself.
void vl_stop_maybe(const char* file, int line, const char* instance, bool maybe);
