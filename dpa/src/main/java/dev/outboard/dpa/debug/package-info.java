/// A debugger of programs in RV64 code: breakpoints, steps, watched memory, what runs; and the
/// protocol by which gdb asks for that.
package dev.outboard.dpa.debug;
