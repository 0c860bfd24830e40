package dev.outboard.fabric.roce.cm;

import java.time.Duration;

/// How long to wait for an answer and how often to repeat the question. The wait starts at `first`
/// and doubles up to `longest`.
///
/// ROCE-CM-6: how long each message waits for its answer, and how often it is sent.
///
/// @param resends how often the message is repeated, 0..15 (REQ carries it in four bits)
public record ResendPolicy(Duration first, Duration longest, int resends) {
    /// What four bits hold.
    public static final int MAX_RESENDS = 15;

    public ResendPolicy {
        if (first.compareTo(Duration.ofMillis(1)) < 0 || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "waits from " + first + " to " + longest + "; valid: 1 ms or more, growing");
        }
        if (resends < 0 || resends > MAX_RESENDS) {
            throw new IllegalArgumentException(resends + " resends; valid: 0 to " + MAX_RESENDS);
        }
    }

    /// The same wait each time.
    public static ResendPolicy constant(Duration wait, int resends) {
        return new ResendPolicy(wait, wait, resends);
    }

    /// The fewest resends after which all waits together reach `limit`. If [#MAX_RESENDS] are not
    /// enough, the longest wait grows; if every wait is twice the one before and that is still not
    /// enough, it is what there is.
    public static ResendPolicy within(Duration first, Duration longest, Duration limit) {
        Duration wait = longest;
        Duration last = first.multipliedBy(1L << MAX_RESENDS);
        while (wait.compareTo(last) < 0
                && new ResendPolicy(first, wait, MAX_RESENDS).total().compareTo(limit) < 0) {
            wait = wait.multipliedBy(2);
        }
        int resends = 0;
        while (resends < MAX_RESENDS
                && new ResendPolicy(first, wait, resends).total().compareTo(limit) < 0) {
            resends++;
        }
        return new ResendPolicy(first, wait, resends);
    }

    /// The same waits with at most `limit` resends.
    ResendPolicy limitedTo(int limit) {
        return limit < resends ? new ResendPolicy(first, longest, limit) : this;
    }

    /// The wait after the message was sent `sent` times, in 1..[#MAX_RESENDS]+1.
    long waitNanos(int sent) {
        return Math.min(first.toNanos() << (sent - 1), longest.toNanos());
    }

    /// From the first transmission until giving up.
    public Duration total() {
        long nanos = 0;
        for (int sent = 1; sent <= resends + 1; sent++) {
            nanos += waitNanos(sent);
        }
        return Duration.ofNanos(nanos);
    }
}
