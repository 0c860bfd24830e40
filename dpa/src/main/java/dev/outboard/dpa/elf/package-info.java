/// Executables for RISC-V (ELF) and what they tell about their source (DWARF 4 and 5). Pure: bytes
/// in, values out; any content ends in a value or an [ElfException], in bounded time and memory.
package dev.outboard.dpa.elf;
