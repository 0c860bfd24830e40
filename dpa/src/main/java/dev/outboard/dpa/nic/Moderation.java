package dev.outboard.dpa.nic;

/// DPA-FXQ-2c: how many events a completion queue makes of its entries: one when as many entries
/// have come as this says, or when the time is over and there are any. Like each event it also
/// takes that the queue is armed.
///
/// @param maxCount so many entries make an event, up to 65535; 0 if their number makes none
/// @param periodMicros the time in microseconds, up to 65535; 0 if no time makes an event
/// @param mode what the time begins with
public record Moderation(int maxCount, int periodMicros, Mode mode) {
    /// Each entry makes an event.
    public static final Moderation NONE = new Moderation(0, 0, Mode.EVENT);

    private static final int MAX = 0xFFFF;
    private static final long NANOS_PER_MICRO = 1000;

    /// What the time begins with.
    public enum Mode {
        /// With the latest event: there is never more than one event in that time.
        EVENT,
        /// With the latest entry: an event comes when entries have ceased to come.
        ENTRY
    }

    /// Checks the numbers.
    public Moderation {
        if (maxCount < 0 || maxCount > MAX || periodMicros < 0 || periodMicros > MAX) {
            throw new IllegalArgumentException(
                    "A completion queue makes an event of 0 to %d entries or in 0 to %d us, not of %d entries or in %d us"
                            .formatted(MAX, MAX, maxCount, periodMicros));
        }
    }

    /// Whether each entry makes an event.
    boolean isNone() {
        return maxCount == 0 && periodMicros == 0;
    }

    boolean isEnough(int entries) {
        return maxCount > 0 && entries >= maxCount;
    }

    boolean hasPeriod() {
        return periodMicros > 0;
    }

    long periodNanos() {
        return periodMicros * NANOS_PER_MICRO;
    }
}
