/// The machine: execution units, the memory of a process, and the rules by which stores become
/// visible. Pure: no clock and no socket.
package dev.outboard.dpa.machine;
