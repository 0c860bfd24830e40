/// DPA-HW-14: WEAK and CHECK: one actor acts at a time, chosen by a seeded scheduler, so that a run
/// is a function of program, inputs and seed.
package dev.outboard.dpa.machine.turns;
