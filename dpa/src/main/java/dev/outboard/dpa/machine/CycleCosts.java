package dev.outboard.dpa.machine;

import java.util.Optional;

/// DPA-INT-4: how many cycles an access takes beyond the one that every operation takes, by the
/// class of the memory that it reaches.
///
/// @param memory DPA memory
/// @param window external memory, through a window
/// @param armWindow the memory of the BlueField's Arm cores, through a window
/// @param outbox a doorbell
/// @param received what the NIC has just written to DPA memory; if empty, as other DPA memory
public record CycleCosts(
        int memory, int window, int armWindow, int outbox, Optional<ReceivedCosts> received) {

    /// The defaults: orders of magnitude, not measurements.
    public static final CycleCosts DEFAULT = new CycleCosts(10, 600, 60);

    /// DPA-INT-13: what has been measured on a BlueField-3, as a model: `docs/dpa.md` says of what.
    /// The rest is as in [#DEFAULT].
    public static final CycleCosts BF3 =
            new CycleCosts(
                    DEFAULT.memory,
                    DEFAULT.window,
                    399,
                    DEFAULT.outbox,
                    Optional.of(ReceivedCosts.BF3));

    /// Checks that time does not run backwards.
    public CycleCosts {
        if (memory < 0 || window < 0 || armWindow < 0 || outbox < 0) {
            throw new IllegalArgumentException(
                    "An access costs 0 cycles or more, not %d, %d, %d and %d"
                            .formatted(memory, window, armWindow, outbox));
        }
    }

    /// The same for all external memory, and for all DPA memory.
    public CycleCosts(int memory, int window, int outbox) {
        this(memory, window, window, outbox, Optional.empty());
    }

    /// An access to external memory of that kind, through a window.
    public int window(ExternalKind kind) {
        return kind == ExternalKind.ARM ? armWindow : window;
    }
}
