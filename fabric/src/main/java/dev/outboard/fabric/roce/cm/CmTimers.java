package dev.outboard.fabric.roce.cm;

import java.time.Duration;

/// How a device repeats what was not answered.
///
/// @param request for a REQ; the sum of its waits is how long a connect takes to fail
/// @param reply for a REP, within the retries that the REQ allows
/// @param disconnect for a DREQ
/// @param resolution for a SIDR_REQ
public record CmTimers(
        ResendPolicy request,
        ResendPolicy reply,
        ResendPolicy disconnect,
        ResendPolicy resolution) {
    private static final Duration FIRST_WAIT = Duration.ofMillis(500);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(4);

    /// What the Linux connection manager does: 6144 ms = twice the packet lifetime (code 18) and
    /// the remote CM response timeout (code 20), 4096 ms for the passive side and for a SIDR_REQ,
    /// 15 times each. A DREQ has the longer one on both sides here.
    public static final CmTimers LINUX =
            new CmTimers(
                    ResendPolicy.constant(Duration.ofMillis(6144), ResendPolicy.MAX_RESENDS),
                    ResendPolicy.constant(Duration.ofMillis(4096), ResendPolicy.MAX_RESENDS),
                    ResendPolicy.constant(Duration.ofMillis(6144), ResendPolicy.MAX_RESENDS),
                    ResendPolicy.constant(Duration.ofMillis(4096), ResendPolicy.MAX_RESENDS));

    /// Half a second, doubling up to four, until about `limit` has passed.
    public static CmTimers within(Duration limit) {
        ResendPolicy policy = ResendPolicy.within(FIRST_WAIT, LONGEST_WAIT, limit);
        return new CmTimers(policy, policy, policy, policy);
    }
}
