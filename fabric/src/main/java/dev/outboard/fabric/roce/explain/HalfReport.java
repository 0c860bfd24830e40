package dev.outboard.fabric.roce.explain;

import dev.outboard.fabric.Finding;
import dev.outboard.fabric.roce.explain.Episode.Kind;
import dev.outboard.fabric.roce.explain.Half.Request;
import dev.outboard.fabric.roce.explain.Half.Tally;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What became of the requests of one direction, in words.
final class HalfReport {
    /// A request that was sent once may be answered after the end of the capture.
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String WHERE_LOST =
            "Look at the drop counters on the way to %s: switches (PFC, ECN), ethtool -S of its port, received.overflows of a node's --stats.";

    private final Half half;
    private final CaptureExplainer capture;
    private final Gid sender;
    private final Gid receiver;
    private final String subject;
    private final List<Finding> findings = new ArrayList<>();

    HalfReport(Half half, CaptureExplainer capture) {
        this.half = half;
        this.capture = capture;
        sender = half.key.source();
        receiver = half.key.destination();
        Half back = half.back;
        subject =
                "%s%s → %s QP 0x%06x"
                        .formatted(
                                sender,
                                back == null ? "" : " QP 0x%06x".formatted(back.key.qpn()),
                                receiver,
                                half.key.qpn());
    }

    List<Finding> findings() {
        Episode last = half.episode;
        half.endEpisode();
        Request oldest = half.oldest();
        boolean isUnsolved = last != null && !last.isSolved && !last.isAnswered;
        if (half.refusal != 0) {
            refused();
        } else if (oldest != null && half.notReady > 0) {
            notReady(oldest);
        } else if (oldest != null && isUnsolved && last != null) {
            new SilenceReport(half, capture, oldest, last).finding(subject, findings);
        } else if (last != null && last.isAnswered && !last.isPast && last.rounds > 1) {
            half.solved.remove(Kind.ANSWER_LOST);
            answersLost(last);
        } else if (oldest != null && waited(oldest) > PATIENCE_NANOS && !half.isClosed) {
            warn(
                    "%s has not answered PSN %s (%s) for %s, until the capture ends"
                            .formatted(
                                    receiver,
                                    psn(oldest.psn),
                                    name(oldest.opcode),
                                    Times.text(waited(oldest))),
                    "Capture for longer: the sender repeats what is not answered, and gives up in the end.");
        }
        half.solved.forEach(this::solved);
        atomics();
        overtaking();
        congestion();
        if (findings.isEmpty() && half.hasRequests) {
            findings.add(Finding.ok(subject, harmless(oldest)));
        }
        return findings;
    }

    private long waited(Request request) {
        return capture.lastNanos() - request.lastNanos;
    }

    // Failures.

    private void refused() {
        String request =
                half.refused == null
                        ? "a request"
                        : name(Objects.requireNonNull(half.refused).opcode);
        String who =
                "%s refused PSN %s %s (%s)"
                        .formatted(
                                receiver,
                                psn(half.refusedPsn),
                                capture.at(half.refusedNanos),
                                request);
        switch (half.refusal) {
            case Aeth.NAK_REMOTE_ACCESS_ERROR ->
                    fail(who + " with 'remote access error'" + keyText(), keyAdvice());
            case Aeth.NAK_INVALID_REQUEST ->
                    fail(
                            who
                                    + " with 'remote invalid request': the queue pair there does not accept this operation in this place",
                            "Look at the queue pair of %s: may the peer write, read, do atomics (access flags), how many READs at a time (max_dest_rd_atomic), is the posted receive long enough, is an atomic's address a multiple of 8?"
                                    .formatted(receiver));
            case Aeth.NAK_REMOTE_OPERATIONAL_ERROR ->
                    fail(
                            who
                                    + " with 'remote operational error': it could not carry out what it should",
                            "Look at %s: the error is local there, as a receive that is too short or whose memory is not registered, or a failed card; its own completions and log say which."
                                    .formatted(receiver));
            default ->
                    fail(
                            who + " with syndrome 0x%02x".formatted(half.refusal),
                            "Look at the log of %s.".formatted(receiver));
        }
    }

    private Half.@Nullable Target refusedTarget() {
        return half.refused == null ? null : half.refused.target;
    }

    private String keyText() {
        Half.Target target = refusedTarget();
        if (target == null) {
            return "";
        }
        return ": key 0x%08x, address 0x%x, %d bytes; %s"
                .formatted(target.key(), target.address(), target.length(), keyHistory(target));
    }

    private enum KeyTrouble {
        UNKNOWN,
        OUT_OF_RANGE,
        MISSING_RIGHT,
        GONE
    }

    private KeyTrouble trouble(Half.Target target) {
        Half.Grant grant = half.grants.get(target.key());
        if (grant == null) {
            return KeyTrouble.UNKNOWN;
        }
        boolean isInside =
                Long.compareUnsigned(target.address(), grant.from) >= 0
                        && Long.compareUnsigned(target.address() + target.length(), grant.end) <= 0;
        boolean isGranted = grant.operations.containsKey(target.opcode().operation());
        return !isGranted
                ? KeyTrouble.MISSING_RIGHT
                : isInside ? KeyTrouble.GONE : KeyTrouble.OUT_OF_RANGE;
    }

    private String keyHistory(Half.Target target) {
        return switch (trouble(target)) {
            case UNKNOWN -> "no request with this key was granted in this capture";
            case OUT_OF_RANGE ->
                    "the key was good for addresses 0x%x to 0x%x: this one goes beyond what it had reached"
                            .formatted(
                                    Objects.requireNonNull(half.grants.get(target.key())).from,
                                    Objects.requireNonNull(half.grants.get(target.key())).end);
            case MISSING_RIGHT ->
                    "the key was good for other operations, but not for this one: its region lacks the right";
            case GONE ->
                    "the same was granted before: the region was deregistered or its key invalidated meanwhile";
        };
    }

    private String keyAdvice() {
        Half.Target target = refusedTarget();
        KeyTrouble trouble = target == null ? KeyTrouble.UNKNOWN : trouble(target);
        return switch (trouble) {
            case UNKNOWN ->
                    "Compare key and address with what %s has told its peer: byte order, a key of an earlier run, a region of another protection domain, a missing right (REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC)."
                            .formatted(receiver);
            case OUT_OF_RANGE ->
                    "Compare address and length with the region at %s: the request ends outside of it."
                            .formatted(receiver);
            case MISSING_RIGHT ->
                    "Register the region at %s with the right that the operation needs (REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC)."
                            .formatted(receiver);
            case GONE -> "See when %s releases the region: it was too early.".formatted(receiver);
        };
    }

    private void notReady(Request oldest) {
        fail(
                "%s had no receive posted for PSN %s (%s): it said 'receiver not ready' %s over %s, asked for a pause of %s each time, and never took the message"
                        .formatted(
                                receiver,
                                psn(oldest.psn),
                                name(oldest.opcode),
                                Times.times(half.notReady),
                                Times.text(half.lastResponseNanos - oldest.firstNanos),
                                Times.text(half.notReadyNanos)),
                "Post receives at %s before its peer sends, and as many as messages may be under way. The sender's rnr_retry says how often it tries (7: for ever)."
                        .formatted(receiver));
    }

    private void answersLost(Episode last) {
        fail(
                "%s answered, but %s goes on repeating PSN %s (%s, %s more over %s): the answers do not get there"
                        .formatted(
                                receiver,
                                sender,
                                psn(last.psn),
                                name(last.opcode),
                                Times.times(last.rounds),
                                Times.text(last.lastNanos - last.firstNanos)),
                "The way from %s to %s is broken behind the place of this capture: a firewall or NAT there (UDP port 4791), a route that differs from the way out, or the program at %s has ended."
                        .formatted(receiver, sender, sender));
    }

    // What was repaired.

    private void solved(Kind kind, Tally tally) {
        String first = "PSN %s (%s)".formatted(psn(tally.psn), name(tally.opcode));
        String extent =
                "%s, first with %s %s, at most for %s; all was answered in the end"
                        .formatted(
                                Times.times(tally.count),
                                first,
                                capture.at(tally.firstNanos),
                                Times.text(tally.longestNanos));
        switch (kind) {
            case REQUEST_LOST ->
                    warn(
                            "%s missed packets of %s, and had them sent again (NAK, sequence error): %s"
                                    .formatted(receiver, sender, extent),
                            "They were lost, or overtaken by later ones. "
                                    + WHERE_LOST.formatted(receiver));
            case NOT_READY ->
                    warn(
                            "%s had no receive posted in time ('receiver not ready'): %s"
                                    .formatted(receiver, extent),
                            "It works, slowly: post more receives at %s, or sooner."
                                    .formatted(receiver));
            case RESPONSE_LOST ->
                    warn(
                            "responses of %s to a READ were lost, and were asked for again: %s"
                                    .formatted(receiver, extent),
                            WHERE_LOST.formatted(sender));
            case ANSWER_LOST ->
                    warn(
                            "%s repeated what %s had received already: its answers were lost, or came later than the sender's timeout: %s"
                                    .formatted(sender, receiver, extent),
                            WHERE_LOST.formatted(sender));
            case TOO_SOON ->
                    warn(
                            "%s repeats before the answer can be there: each repetition was answered as well as the original: %s"
                                    .formatted(sender, extent),
                            "Nothing is lost; the timeout is shorter than the way there and back. Raise the sender's ACK timeout.");
            case EITHER_LOST ->
                    warn(
                            "%s had to repeat after a timeout: %s".formatted(sender, extent),
                            "Either the packets or their answers were lost; a capture at %s tells which. Look at the drop counters on the way in both directions."
                                    .formatted(receiver));
        }
    }

    private void atomics() {
        if (half.differingAtomics > 0) {
            fail(
                    "%s answered a repeated atomic with another value: it was carried out twice"
                            .formatted(receiver),
                    "That is a fault of %s: it has to remember its answers to atomics."
                            .formatted(receiver));
        } else if (half.repeatedAtomics > 0) {
            warn(
                    "%s repeated an atomic %s; it is carried out once, the repetition is answered from memory"
                            .formatted(sender, Times.times(half.repeatedAtomics)),
                    "The first answer or the request was lost: see the other findings.");
        }
    }

    private void overtaking() {
        if (half.overtaken > 0) {
            warn(
                    "packets of %s overtook each other on the way: %s, last PSN %s"
                            .formatted(sender, Times.times(half.overtaken), psn(half.overtakenPsn)),
                    "Reliable connections take a later packet for a lost one. Look for switches or bonds that spread the packets of one flow over several ways.");
        }
    }

    private void congestion() {
        if (half.marked > 0) {
            warn(
                    "the way from %s to %s is congested: a switch marked %s (ECN)"
                            .formatted(sender, receiver, Times.count(half.marked, "packet")),
                    "Look at who else sends to %s, and at the thresholds of the switch; with DCQCN the sender slows down."
                            .formatted(receiver));
        }
        if (half.notifications > 0) {
            warn(
                    "%s told %s to send more slowly: %s (CNP)"
                            .formatted(
                                    sender,
                                    receiver,
                                    Times.count(half.notifications, "congestion notification")),
                    "The way from %s to %s is congested: look at who else uses it."
                            .formatted(receiver, sender));
        }
    }

    // What is in order.

    private String harmless(@Nullable Request oldest) {
        StringBuilder text = new StringBuilder();
        text.append(
                oldest == null
                        ? "all requests were answered"
                        : "no failure; the capture ends before PSN %s (%s) is answered"
                                .formatted(psn(oldest.psn), name(oldest.opcode)));
        if (!half.isFromStart) {
            text.append("; the capture has not seen how the connection was made");
        }
        if (half.copies > 0) {
            text.append("; %s captured twice".formatted(Times.count(half.copies, "packet")));
        }
        if (half.unseen > 0) {
            text.append("; requests are missing in the capture");
        }
        closing().ifPresent(text::append);
        return text.toString();
    }

    private Optional<String> closing() {
        return capture.between(sender, receiver)
                .filter(conversation ->
                        conversation.leaver != null
                                && conversation.qpnAt(receiver) == half.key.qpn())
                .findFirst()
                .map(conversation -> {
                    long last = Math.max(half.lastRequestNanos, half.lastResponseNanos);
                    long idle = conversation.disconnects.firstNanos - last;
                    return "; %s closed the connection%s"
                            .formatted(
                                    conversation.leaver,
                                    idle > IDLE_NANOS
                                            ? " after %s without traffic"
                                                    .formatted(Times.text(idle))
                                            : "");
                });
    }

    private void fail(String detail, String remedy) {
        findings.add(Finding.fail(subject, detail, remedy));
    }

    private void warn(String detail, String remedy) {
        findings.add(Finding.warn(subject, detail, remedy));
    }

    static String psn(int psn) {
        return "0x%06x".formatted(psn);
    }

    /// An operation as people call it.
    static String name(Opcode opcode) {
        return switch (opcode.operation()) {
            case SEND -> "SEND";
            case WRITE -> "RDMA WRITE";
            case READ_REQUEST -> "RDMA READ";
            case COMPARE_SWAP -> "compare and swap";
            case FETCH_ADD -> "fetch and add";
            default -> opcode.name();
        };
    }
}
