/// The bytes of a process and who may touch them.
package dev.outboard.dpa.machine.memory;
