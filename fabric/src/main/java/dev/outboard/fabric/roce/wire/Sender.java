package dev.outboard.fabric.roce.wire;

/// Somebody who sends to us, and how IPv4 identification and DF are filled there, learnt from the
/// packets: the memory that keeps [IcrcVerifier] from accepting more than it must. Belongs to the
/// thread of that verifier.
///
/// Source: spec/roce.md, 2.3: remember which DF value works, and demand identification 0 of senders
/// that always use it. Two readings of ours:
///
/// - A sender like our own stack uses 0 for lone packets and the segment index under segmentation
///   offload (2.2). So of a sender seen at 0 throughout, an identification below [#MAX_SEGMENTS] is
///   demanded, which keeps 25 of the 32 bits of the check.
/// - A packet that breaks the habit is refused, the next is believed if it breaks it again. A
///   sender without DF or one that was replaced so loses one packet, which its transport repeats;
///   and one damaged packet that happens to have a solution is not accepted. Believing DF = 0 at
///   once would let a single-bit error pass: that of bit 3 in byte 173 of a UDP payload.
///
/// ROCE-ICRC-8: what a sender does with DF and the ID is remembered.
public final class Sender {
    /// The most segments that a kernel makes of one send call (spec/roce.md, 2.2).
    static final int MAX_SEGMENTS = 128;

    /// So many packets at 0 without one at [#MAX_SEGMENTS] or above are a habit. A counter comes by
    /// 0 once in 65,536 packets.
    static final int HABITUAL_ZEROS = 16;

    private Path path;
    private boolean broken;
    private int zeros;

    /// A sender that nothing is known about.
    ///
    /// @param path from there to us
    public Sender(Path path) {
        this.path = path;
    }

    /// The path from there to us, with or without DF as far as is known.
    public Path path() {
        return path;
    }

    /// Takes note of a packet that passed the whole check with identification 0 and DF.
    void sawZero() {
        path = path.withDontFragment(true);
        broken = false;
        zeros = Math.min(zeros + 1, HABITUAL_ZEROS);
    }

    /// Takes note of a packet that can only have been sent with these fields; false to refuse it.
    boolean admits(int identification, boolean dontFragment) {
        boolean usual =
                dontFragment == path.isDontFragment()
                        && (zeros < HABITUAL_ZEROS || identification < MAX_SEGMENTS);
        if (!usual && !broken) {
            broken = true;
            return false;
        }
        broken = false;
        path = path.withDontFragment(dontFragment);
        if (identification == 0) {
            zeros = Math.min(zeros + 1, HABITUAL_ZEROS);
        } else if (identification >= MAX_SEGMENTS) {
            zeros = 0;
        }
        return true;
    }

    /// Takes note of a packet that nobody can have sent like that: it supports no change of habit.
    void refuse() {
        broken = false;
    }
}
