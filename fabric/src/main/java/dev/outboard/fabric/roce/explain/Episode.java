package dev.outboard.fabric.roce.explain;

import dev.outboard.fabric.roce.wire.Opcode;

/// Requests that were sent again, from one packet on, until it was answered or given up.
final class Episode {
    /// What made the requester repeat.
    enum Cause {
        /// Nothing was captured that did.
        TIMEOUT,
        /// The peer missed a packet, and said so.
        SEQUENCE_ERROR,
        /// The peer had no receive posted, and said so.
        NOT_READY,
        /// A response to a READ was missing.
        MISSING_RESPONSE
    }

    /// What it shows to have gone wrong.
    enum Kind {
        REQUEST_LOST,
        NOT_READY,
        RESPONSE_LOST,
        /// The answers get lost, or come too late.
        ANSWER_LOST,
        /// All were answered, but later than they were repeated.
        TOO_SOON,
        /// The request or its answer was lost.
        EITHER_LOST
    }

    final int psn;
    final Opcode opcode;
    final long firstNanos;
    final Cause cause;

    /// Whether the capture had the answer before the request was repeated.
    final boolean isAnswered;

    /// When the last repetition began.
    long lastNanos;

    int rounds;

    /// Of the present round: the packet that was repeated last, and how many there were.
    int highest;

    int roundPackets;

    /// The PSN behind all that was sent before the present round.
    int next;

    /// Whether the requester has sent more since.
    boolean isPast;

    /// Whether the peer acknowledged what had not been repeated yet: it had got all of it before.
    boolean isAhead;

    boolean isSolved;
    long solvedNanos;

    /// Acknowledgements after the one that solved it.
    int laterAnswers;

    Episode(RocePacket packet, long firstNanos, Cause cause, boolean isAnswered) {
        this.psn = packet.psn();
        this.opcode = packet.opcode();
        this.firstNanos = firstNanos;
        this.cause = cause;
        this.isAnswered = isAnswered;
    }

    /// @param next what the requester sends after all that it has sent so far
    void round(RocePacket packet, int next) {
        rounds++;
        this.next = next;
        lastNanos = packet.nanos();
        highest = packet.psn();
        roundPackets = 1;
    }

    Kind kind() {
        return switch (cause) {
            case SEQUENCE_ERROR -> Kind.REQUEST_LOST;
            case NOT_READY -> Kind.NOT_READY;
            case MISSING_RESPONSE -> Kind.RESPONSE_LOST;
            case TIMEOUT -> {
                if (isAnswered || isAhead) {
                    yield Kind.ANSWER_LOST;
                }
                boolean isEachAnswered = laterAnswers >= rounds && roundPackets == 1;
                yield isEachAnswered ? Kind.TOO_SOON : Kind.EITHER_LOST;
            }
        };
    }
}
