package dev.outboard.fabric.roce.explain;

import dev.outboard.fabric.Finding;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.cm.RejectReason;
import dev.outboard.fabric.roce.wire.cm.Rejection;
import dev.outboard.fabric.roce.wire.cm.ServiceId;
import dev.outboard.fabric.roce.wire.cm.SidrStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// What went wrong when two ends wanted a connection, in words.
final class ConversationReport {
    /// A request that was sent once may be answered after the end of the capture.
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Conversation it;
    private final CaptureExplainer capture;
    private final List<Finding> findings = new ArrayList<>();
    private final String subject;

    ConversationReport(Conversation conversation, CaptureExplainer capture) {
        this.it = conversation;
        this.capture = capture;
        subject = it.active + " → " + it.passive + ", " + service();
    }

    private String service() {
        ServiceId id = it.serviceId();
        boolean isPort = id.isIn(ServiceId.PORT_SPACE_TCP) || id.isIn(ServiceId.PORT_SPACE_UDP);
        return isPort ? "port " + id.port() : "service " + id;
    }

    List<Finding> findings() {
        Rejection rejection = it.rejection;
        if (it.requests.count == 0) {
            return findings;
        }
        if (rejection != null && rejection.reason() != RejectReason.TIMEOUT.code()) {
            rejected(rejection);
        } else if (it.service != null) {
            datagramService();
        } else if (it.reply == null) {
            unanswered();
        } else {
            established();
        }
        if (it.disconnects.count > 1 && it.disconnectReplies.count == 0) {
            Gid leaver = Objects.requireNonNull(it.leaver);
            warn(
                    "%s has asked %s to disconnect, and got no answer: the other end was gone already"
                            .formatted(leaver, Times.times(it.disconnects.count)),
                    "Nothing, if the other program had ended; otherwise see what happened to it.");
        }
        return findings;
    }

    private void unanswered() {
        long waited = capture.lastNanos() - it.requests.firstNanos;
        boolean isBrief = waited < PATIENCE_NANOS || it.receipts.count > 0;
        if (it.rejection == null && it.requests.count == 1 && isBrief) {
            findings.add(
                    Finding.ok(
                            subject, "the capture ends before the connection request is answered"));
            return;
        }
        String asked =
                it.requests.count == 1
                        ? "the connection request was sent once, "
                                + capture.at(it.requests.firstNanos)
                        : "the connection request was sent %s over %s (first %s)"
                                .formatted(
                                        Times.times(it.requests.count),
                                        Times.text(it.requests.lastNanos - it.requests.firstNanos),
                                        capture.at(it.requests.firstNanos));
        String gaveUp = it.rejection == null ? "" : ", until the sender gave up";
        boolean isAlive = capture.host(it.passive).lastNanos >= it.requests.firstNanos;
        if (it.receipts.count > 0) {
            fail(
                    "%s has got the request, asked for patience (MRA), and never decided; %s%s"
                            .formatted(it.passive, asked, gaveUp),
                    "Look at the program that listens there: it has the request and does not accept or reject it.");
        } else if (isAlive) {
            fail(
                    "%s never answered; %s%s. Other packets came from there meanwhile"
                            .formatted(it.passive, asked, gaveUp),
                    "The machine is there, so look at the program that listens: a listener that hangs, or a full backlog.");
        } else {
            fail(
                    "%s never answered; %s%s, and nothing came from that address"
                            .formatted(it.passive, asked, gaveUp),
                    "Look whether a node or another RoCE device serves that address (outboard doctor --peer %s asks it), and whether a firewall drops UDP port 4791 in either direction."
                            .formatted(it.passive));
        }
    }

    private void rejected(Rejection rejection) {
        Gid rejecter = Objects.requireNonNull(it.rejecter);
        String when =
                "%s rejected the connection %s: %s"
                        .formatted(
                                rejecter,
                                capture.at(it.rejectedNanos),
                                RejectReason.explain(rejection.reason()));
        RejectReason reason = RejectReason.of(rejection.reason()).orElse(null);
        switch (reason) {
            case CONSUMER_REJECT ->
                    fail(
                            when + text(rejection),
                            "Ask the program at %s: it decided so, and its log may say why."
                                    .formatted(rejecter));
            case INVALID_SERVICE_ID ->
                    fail(
                            when,
                            "The machine is there, the program is not: start it, or correct the port.");
            case STALE_CONNECTION ->
                    fail(
                            when,
                            "%s still holds the connection from before: it ended without a word. Try again; once is enough."
                                    .formatted(rejecter));
            case INVALID_MTU ->
                    fail(when, "Make the MTUs of both interfaces equal (ip link set DEV mtu N).");
            case null, default ->
                    fail(
                            when + text(rejection),
                            "Look at the log of %s; the reasons are those of InfiniBand, volume 1, 12.6.7.2."
                                    .formatted(rejecter));
        }
    }

    /// What the program has added, if it reads as text.
    private static String text(Rejection rejection) {
        String text =
                new String(rejection.privateData().toByteArray(), StandardCharsets.ISO_8859_1);
        int end = text.indexOf('\0');
        String printable = (end < 0 ? text : text.substring(0, end)).replaceAll("[^ -~]", ".");
        return printable.isBlank() ? "" : "; it says '" + printable + "'";
    }

    private void datagramService() {
        if (it.resolution == null) {
            unanswered();
        } else if (it.resolution.status() != 0) {
            fail(
                    "%s does not offer the datagram service: %s"
                            .formatted(it.passive, SidrStatus.explain(it.resolution.status())),
                    "Start the program there, or correct the port.");
        }
    }

    private void established() {
        boolean isMade =
                it.ready.count > 0
                        || capture.isUsed(new Half.Key(it.active, it.passive, it.passiveQpn()));
        boolean isAskedAgain =
                it.requests.count > 1 && it.requests.lastNanos > it.replies.firstNanos;
        boolean isGivenUp = it.rejection != null;
        if (!isMade && (it.replies.count > 1 || isAskedAgain || isGivenUp)) {
            fail(
                    "%s agreed to the connection %s, and %s never took note: %s, %s"
                            .formatted(
                                    it.passive,
                                    Times.times(it.replies.count),
                                    it.active,
                                    "requests: " + it.requests.count,
                                    "replies: " + it.replies.count),
                    "The replies (REP) get lost on their way to %s, or its program has ended: look there for a firewall on UDP port 4791, and whether the program still runs."
                            .formatted(it.active));
        } else if (isAskedAgain) {
            warn(
                    "%s asked %s, though %s had answered: a reply (REP) was lost on its way, and sent again"
                            .formatted(it.active, Times.times(it.requests.count), it.passive),
                    "Packets from %s to %s get lost: look at the drop counters in between."
                            .formatted(it.passive, it.active));
        } else if (it.requests.count > 1) {
            warn(
                    "%s asked %s before it was answered, %s after the first request: requests (REQ) were lost, or %s took its time"
                            .formatted(
                                    it.active,
                                    Times.times(it.requests.count),
                                    Times.text(it.replies.firstNanos - it.requests.firstNanos),
                                    it.passive),
                    "Look for loss of packets in between, and at what the program at %s does before it accepts."
                            .formatted(it.passive));
        } else if (it.replies.count > 1) {
            warn(
                    "%s had to repeat its reply (REP): sent %s before the other end was ready (RTU)"
                            .formatted(it.passive, Times.times(it.replies.count)),
                    "A reply or the answer to it was lost: look at the drop counters in between.");
        }
    }

    private void fail(String detail, String remedy) {
        findings.add(Finding.fail(subject, detail, remedy));
    }

    private void warn(String detail, String remedy) {
        findings.add(Finding.warn(subject, detail, remedy));
    }
}
