/* Which environment calls and instructions the program goes by. */
__attribute__((section(".note.outboard"), used, aligned(4))) static const struct {
    unsigned name_bytes;
    unsigned value_bytes;
    unsigned type;
    char name[12];
    unsigned version;
} abi = {9, 4, 1, "Outboard", 1};
