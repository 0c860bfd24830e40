/// DPA-HW-17, DPA-HW-13: FAST: threads run at once, as many as there are processors, and every
/// access is sequentially consistent.
package dev.outboard.dpa.machine.fast;
