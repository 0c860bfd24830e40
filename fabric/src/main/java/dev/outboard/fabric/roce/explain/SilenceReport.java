package dev.outboard.fabric.roce.explain;

import dev.outboard.fabric.Finding;
import dev.outboard.fabric.roce.explain.Half.Request;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import java.util.List;
import java.util.Optional;

/// Why requests were repeated and never answered, in words.
final class SilenceReport {
    /// What fits every path.
    private static final int SMALL = 256;

    private final Half half;
    private final CaptureExplainer capture;
    private final Request oldest;
    private final Episode last;
    private final Gid sender;
    private final Gid receiver;

    /// @param oldest the first request without an answer
    /// @param last its repetitions
    SilenceReport(Half half, CaptureExplainer capture, Request oldest, Episode last) {
        this.half = half;
        this.capture = capture;
        this.oldest = oldest;
        this.last = last;
        sender = half.key.source();
        receiver = half.key.destination();
    }

    void finding(String subject, List<Finding> findings) {
        Optional<Conversation> other = agreedOtherwise();
        if (other.isPresent()) {
            findings.add(Finding.fail(subject, wrongQueuePair(other.get()), wrongAdvice()));
        } else if (newer().isPresent()) {
            findings.add(Finding.fail(subject, restarted(newer().get()), restartedAdvice()));
        } else if (leftByReceiver().isPresent()) {
            findings.add(Finding.fail(subject, left(leftByReceiver().get()), leftAdvice()));
        } else if (isTooLarge()) {
            findings.add(Finding.fail(subject, tooLarge(), tooLargeAdvice()));
        } else if (half.sequenceErrors > 0) {
            findings.add(Finding.fail(subject, lostEachTime(), lostAdvice()));
        } else {
            findings.add(Finding.fail(subject, silent(), silentAdvice()));
        }
    }

    /// What was sent, how often, and for how long.
    private String repeated() {
        return "PSN %s (%s of %d bytes) was sent %s over %s, from %s on"
                .formatted(
                        HalfReport.psn(oldest.psn),
                        HalfReport.name(oldest.opcode),
                        oldest.target != null ? oldest.target.length() : oldest.payload,
                        Times.times(last.rounds + 1L),
                        Times.text(last.lastNanos - oldest.firstNanos),
                        capture.at(oldest.firstNanos).substring("at ".length()));
    }

    private boolean isAlive() {
        return capture.host(receiver).lastNanos > last.firstNanos;
    }

    // The wrong queue pair.

    private Optional<Conversation> agreedOtherwise() {
        boolean isStrange = half.responses == 0 && !half.isFromStart;
        return capture.between(sender, receiver)
                .filter(agreed ->
                        isStrange
                                && agreed.reply != null
                                && agreed.leaver == null
                                && agreed.replies.firstNanos <= half.firstRequestNanos
                                && !capture.isUsed(
                                        new Half.Key(sender, receiver, agreed.qpnAt(receiver))))
                .findFirst();
    }

    private String wrongQueuePair(Conversation agreed) {
        return "%s sends to queue pair 0x%06x of %s, and never got an answer; the two have agreed on 0x%06x, to which nothing was sent: %s"
                .formatted(sender, half.key.qpn(), receiver, agreed.qpnAt(receiver), repeated());
    }

    private String wrongAdvice() {
        return "Look at what %s takes for its peer's queue pair number: byte order, a number of an earlier run, or of another connection."
                .formatted(sender);
    }

    // The peer has begun anew.

    private Optional<Conversation> newer() {
        return capture.between(sender, receiver)
                .filter(made ->
                        made.requests.firstNanos > oldest.firstNanos
                                && (made.reply != null || made.active.equals(receiver)))
                .findFirst();
    }

    private String restarted(Conversation newer) {
        return "%s has probably been started anew: it took up a new connection %s, and no longer answers on this one: %s"
                .formatted(receiver, capture.at(newer.requests.firstNanos), repeated());
    }

    private String restartedAdvice() {
        return "See why the program at %s ended. %s has to connect again; what was under way is lost."
                .formatted(receiver, sender);
    }

    // The peer has left.

    private Optional<Conversation> leftByReceiver() {
        return capture.between(sender, receiver)
                .filter(made ->
                        receiver.equals(made.leaver)
                                && made.qpnAt(receiver) == half.key.qpn()
                                && made.disconnects.firstNanos <= last.lastNanos)
                .findFirst();
    }

    private String left(Conversation made) {
        return "%s closed the connection %s, while %s still sent: %s"
                .formatted(receiver, capture.at(made.disconnects.firstNanos), sender, repeated());
    }

    private String leftAdvice() {
        return "See why the program at %s closed so early; %s has to stop when it is told to disconnect."
                .formatted(receiver, sender);
    }

    // The packets are too large for the way.

    /// A request of a size that never got through, where smaller ones did.
    private boolean isTooLarge() {
        return half.largestAnswered >= 0
                && oldest.payload >= SMALL
                && oldest.payload > half.largestAnswered;
    }

    private String tooLarge() {
        return "no packet with more than %d bytes of payload got through to %s, though smaller ones did: %s"
                .formatted(half.largestAnswered, receiver, repeated());
    }

    private String tooLargeAdvice() {
        return "Compare the MTUs of both interfaces and of all switches with the path MTU of the queue pair (%d bytes and headers): ping -M do -s %d %s. If that gets through, see whether the program at %s still runs."
                .formatted(oldest.payload, oldest.payload + 60, receiver, receiver);
    }

    // One packet is lost each time.

    private String lostEachTime() {
        return "%s answers, but PSN %s never got there: it asked for it %s (NAK, sequence error); %s"
                .formatted(
                        receiver,
                        HalfReport.psn(oldest.psn),
                        Times.times(half.sequenceErrors),
                        repeated());
    }

    private String lostAdvice() {
        return "Something on the way to %s drops most packets: look at drop counters of switches and ports; slow the sender down (a smaller window, DCQCN)."
                .formatted(receiver);
    }

    // Nothing came back.

    private String silent() {
        String before =
                half.responses == 0
                        ? "it has answered nothing on this connection"
                        : "before that it had answered, last %s"
                                .formatted(capture.at(half.lastResponseNanos));
        return "%s did not answer from PSN %s on: %s; %s%s"
                .formatted(
                        receiver,
                        HalfReport.psn(oldest.psn),
                        repeated(),
                        before,
                        isAlive()
                                ? ". Other packets still came from there"
                                : ", and nothing at all came from that address since");
    }

    private String silentAdvice() {
        String responses =
                oldest.opcode == Opcode.READ_REQUEST
                        ? " Or its responses are too large for the way back (MTU)."
                        : "";
        return isAlive()
                ? "The machine is there, its queue pair does not answer, or our packets do not get there: see whether the program at %s still runs and what its queue pair's state is; a capture there tells whether the packets arrive.%s"
                        .formatted(receiver, responses)
                : "See whether the program and the machine at %s still run, then whether the way there is broken (ping, firewall on UDP port 4791); a capture there tells whether the packets arrive and only the answers get lost.%s"
                        .formatted(receiver, responses);
    }
}
