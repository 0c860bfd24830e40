package dev.outboard.ccip.afu;

import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;

/// An accelerator function behind a CCI-P port, clocked by pClk (CCI-P manual 1.3.1: all inputs and
/// outputs registered).
///
/// One thread clocks an AFU. What it computes depends on nothing but what it is given.
@FunctionalInterface
public interface Afu {
    /// One rising edge of pClk. `rx` is what the wires carried before the edge; what is driven on
    /// `tx`, whose valid wires are 0 when it is given, is what they carry after it.
    ///
    /// CCIP-MOD-3, CCIP-SIG-3: what is driven follows what was there before the edge.
    void clock(Rx rx, Tx tx);

    /// For how many cycles from now this AFU would drive nothing and remain as it is if the FIU
    /// sends it nothing. Time in which nobody has anything to do then passes at once. 0 promises
    /// nothing.
    default long quietCycles() {
        return 0;
    }

    /// Up to `cycles` rising edges of pClk, at least one, between which the FIU drives nothing and
    /// `rx` stays as it is. Ends with the first edge after which `tx` carries something.
    ///
    /// @return how many edges passed
    default long clockQuiet(Rx rx, Tx tx, long cycles) {
        long quiet = Math.min(quietCycles(), cycles);
        if (quiet > 0) {
            return quiet;
        }
        clock(rx, tx);
        return 1;
    }
}
