/// Measures the DPA: how fast its memory model is explored and checked, and how fast its programs
/// run.
package dev.outboard.bench.dpa;
