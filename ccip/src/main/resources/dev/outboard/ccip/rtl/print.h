// Verilator's library prints with this; see shim.cpp.
void outboard_print(const char* format, ...);
