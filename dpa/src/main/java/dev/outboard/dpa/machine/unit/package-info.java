/// Execution units: who runs where and when, and what their counters say. Pure.
package dev.outboard.dpa.machine.unit;
