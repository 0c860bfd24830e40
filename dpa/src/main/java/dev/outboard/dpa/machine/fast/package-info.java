/// DPA-HW-17, DPA-HW-13: FAST: threads run at once, on the carriers of virtual threads, and every
/// access is sequentially consistent.
package dev.outboard.dpa.machine.fast;
