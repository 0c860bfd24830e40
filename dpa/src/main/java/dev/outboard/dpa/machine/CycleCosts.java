package dev.outboard.dpa.machine;

/// DPA-INT-4: how many cycles an access takes beyond the one that every operation takes, by the
/// memory that it reaches. The defaults are orders of magnitude, not measurements.
///
/// @param memory DPA memory
/// @param window external memory, through a window
/// @param outbox a doorbell
public record CycleCosts(int memory, int window, int outbox) {

    /// The defaults.
    public static final CycleCosts DEFAULT = new CycleCosts(10, 600, 60);

    /// Checks that time does not run backwards.
    public CycleCosts {
        if (memory < 0 || window < 0 || outbox < 0) {
            throw new IllegalArgumentException(
                    "An access costs 0 cycles or more, not %d, %d and %d"
                            .formatted(memory, window, outbox));
        }
    }
}
