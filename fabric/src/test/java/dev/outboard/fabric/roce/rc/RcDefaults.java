package dev.outboard.fabric.roce.rc;

/// What the requester starts with, for the table of defaults.
public final class RcDefaults {
    public static final int INITIAL_WINDOW = CongestionWindow.INITIAL_PACKETS;
    public static final int WINDOW_AFTER_TIMEOUT = CongestionWindow.MINIMUM_PACKETS;
    public static final long NOTIFICATION_MICROS = NotificationPoint.INTERVAL_NANOS / 1000;
    public static final int NOTIFICATION_DSCP = NotificationPoint.TRAFFIC_CLASS >> 2;
    public static final long CUT_MICROS = ReactionPoint.CUT_NANOS / 1000;
    public static final long CALM_MICROS = ReactionPoint.CALM_NANOS / 1000;
    public static final double INVERSE_GAIN = 1 / ReactionPoint.GAIN;
    public static final double INCREASE_MILLIS = ReactionPoint.INCREASE_NANOS / 1e6;
    public static final long INCREASE_MEGABYTES = ReactionPoint.INCREASE_BYTES / 1_000_000;
    public static final int FAST_ROUNDS = ReactionPoint.FAST_ROUNDS;
    public static final double ADDITIVE_MEGABITS =
            ReactionPoint.ADDITIVE_BYTES_PER_SECOND * 8 / 1e6;

    private RcDefaults() {}
}
