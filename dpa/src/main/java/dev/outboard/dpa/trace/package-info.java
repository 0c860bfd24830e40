/// Traces: what execution units, handlers, NIC and doorbells of a machine did, and when, for
/// [Perfetto](https://ui.perfetto.dev). While nobody takes one, it costs a read of a reference per
/// activation, doorbell or queue entry, and accesses to memory nothing.
package dev.outboard.dpa.trace;
