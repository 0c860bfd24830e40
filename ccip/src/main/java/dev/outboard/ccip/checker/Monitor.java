package dev.outboard.ccip.checker;

import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;

/// Something that looks at the wires of a port in every cycle and drives none of them: the checker,
/// a trace, a statistic.
///
/// The thread that clocks the port calls it; it keeps no reference to what it is given.
@FunctionalInterface
public interface Monitor {
    /// One rising edge of pClk, before FIU and AFU are clocked: `tx` and `rx` are what the wires
    /// carried since the edge before. So the AFU could not know of this `rx` when it drove this
    /// `tx`.
    ///
    /// @param answers which requests the responses on `rx` answer, by the FIU's own word
    void clock(long cycle, Tx tx, Rx rx, Answers answers);

    /// The FPGA cache looked a line up, in the edge that [#clock] was called before, or between two
    /// edges for the host. Only a platform with an FPGA cache has lookups.
    default void lookup(long cycle, CacheLookup lookup) {}

    /// The first cycle after `cycle` in which this monitor has something to do even if the wires
    /// carry nothing and stay as they are. Cycles before it may be left out; the next one that is
    /// clocked then has a larger number.
    default long nextCycle(long cycle) {
        return Long.MAX_VALUE;
    }
}
