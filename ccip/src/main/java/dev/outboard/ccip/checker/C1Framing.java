package dev.outboard.ccip.checker;

import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.WriteType;

/// Which beats of Tx C1 make up one request (CCI-P manual 1.3.9): a write of N lines is a beat with
/// `sop` and N - 1 without; a fence or an interrupt is one beat. FIU, checker and trace number
/// requests by this one rule, also where the AFU breaks it.
///
/// A request that begins inside a burst ends that burst. `cl_len` 2, which is illegal, frames three
/// beats.
public final class C1Framing {
    private static final int FENCE = WriteType.WRFENCE.code();
    private static final int INTERRUPT = WriteType.INTR.code();

    private long requests;
    private int beatsLeft;

    /// Between bursts, before request 0.
    public C1Framing() {}

    /// Takes the next valid beat.
    ///
    /// @return whether it begins a request; otherwise it belongs to the open burst
    public boolean accept(C1Tx c1) {
        if (beatsLeft != 0 && !c1.startOfPacket() && !isSingleBeat(c1)) {
            beatsLeft--;
            return false;
        }
        requests++;
        beatsLeft = c1.startOfPacket() && !isSingleBeat(c1) ? c1.lengthCode() : 0;
        return true;
    }

    /// Reset cuts an open burst; requests are counted on.
    public void reset() {
        beatsLeft = 0;
    }

    /// Requests that began so far; the latest has the number that is one less.
    public long requests() {
        return requests;
    }

    /// Beats that the open burst still lacks; 0 between bursts.
    public int beatsLeft() {
        return beatsLeft;
    }

    private static boolean isSingleBeat(C1Tx c1) {
        int type = c1.requestType();
        return type == FENCE || type == INTERRUPT;
    }
}
