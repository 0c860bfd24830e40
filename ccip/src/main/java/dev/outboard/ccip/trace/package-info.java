/// What went over a port, for people and programs: a log of all transactions, waveforms, and
/// numbers at the end of a run. Each is a [monitor][dev.outboard.ccip.checker.Monitor] that a
/// simulation has only if it is given one.
package dev.outboard.ccip.trace;
