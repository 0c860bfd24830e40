/// Bugs of kinds that people report of event handlers, as programs. Those that need no handler are
/// litmus tests in `examples/dpa/bugs`.
package dev.outboard.dpa.bugs;
