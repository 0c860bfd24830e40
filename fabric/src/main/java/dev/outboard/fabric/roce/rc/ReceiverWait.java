package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.roce.wire.Aeth;

/// How long a peer is asked to wait when no receive is posted: the least time of the connection at
/// the first refusal of a packet, and about four times as long at each further one, up to 0.66 s.
///
/// The attribute of a queue pair is a minimum (roce.md 3.5). Were it the answer each time, the six
/// retries that most programs set would be over after 4 ms with the usual 0.64 ms; a longer minimum
/// would hold up the many peers whose receive is only just not there. So a receive that is almost
/// in time costs 0.64 ms, and one that is 0.8 s late ends no connection. What comes again before
/// the peer can have waited is a copy that crossed the refusal, and changes nothing.
///
/// Belongs to one responder.
final class ReceiverWait {
    /// Two codes further is twice as long.
    private static final int STEP = 4;

    private static final int LONGEST_CODE = 0;
    private static final int LAST_CODE = 31;
    private static final int NOTHING = -1;

    private int refusedPsn = NOTHING;
    private int code;

    /// When the first packet was refused that got this code.
    private long sinceNanos;

    /// The syndrome that refuses the packet `psn`.
    ///
    /// @param leastCode the timer code of the connection
    int refusal(int psn, int leastCode, long now) {
        boolean isFirst = psn != refusedPsn;
        if (isFirst || now - sinceNanos >= Aeth.rnrTimerNanos(code)) {
            code = isFirst ? leastCode : longer(code);
            sinceNanos = now;
        }
        refusedPsn = psn;
        return Aeth.rnrNak(code);
    }

    private static int longer(int code) {
        boolean isLongest = code == LONGEST_CODE || code + STEP > LAST_CODE;
        return isLongest ? LONGEST_CODE : code + STEP;
    }
}
