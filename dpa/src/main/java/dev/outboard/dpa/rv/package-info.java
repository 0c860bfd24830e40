/// RV64 code of C kernels: its decoder, an interpreter and a disassembler.
package dev.outboard.dpa.rv;
