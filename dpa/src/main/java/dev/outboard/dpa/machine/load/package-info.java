/// Loads programs written in Java. Their kernels are checked before they are defined, and all of
/// their code is rewritten: to end in time, for the places of their operations in a run in turns,
/// and for speed in FAST.
package dev.outboard.dpa.machine.load;
