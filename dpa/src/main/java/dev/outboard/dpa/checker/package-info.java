/// Finds missing fences, writebacks and invalidations in a run of a DPA program, also in a run in
/// which nothing went wrong, and proposes repairs.
package dev.outboard.dpa.checker;
