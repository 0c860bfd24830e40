package dev.outboard.ccip.platform;

import java.util.OptionalDouble;
import java.util.SplittableRandom;

/// The clocks of the port on one time base (CCI-P manual 1.3.11): pClk, pClkDiv2 and pClkDiv4 in
/// phase with it, and uClk_usr with uClk_usrDiv2, asynchronous to them.
///
/// ```java
/// Clocks clocks = new Clocks(profile.pClkMegahertz(), 312.5, seed);
/// while (running) {
///     clocks.advance();
///     if (clocks.rises(Clocks.P_CLK)) {
///         port.clock();
///     }
///     design.evaluate(clocks.levels());
/// }
/// ```
///
/// Phases and the jitter of the user clock come from the seed; the same arguments give the same
/// edges. It belongs to the thread that clocks the port. Who needs no user clock needs no object of
/// this class: [#dividedLevels] says it all.
public final class Clocks {
    /// The interface clock, in a set of clocks.
    public static final int P_CLK = 1;

    /// Half of pClk.
    public static final int P_CLK_DIV2 = 1 << 1;

    /// A quarter of pClk.
    public static final int P_CLK_DIV4 = 1 << 2;

    /// The user clock.
    public static final int U_CLK = 1 << 3;

    /// By default half of the user clock.
    public static final int U_CLK_DIV2 = 1 << 4;

    private static final double FEMTOSECONDS_PER_MICROSECOND = 1e9;

    /// An edge of a user clock is off by at most this part of half a period.
    private static final int JITTER = 32;

    private final long pClkHalf;
    private final UserClock user;
    private final UserClock userDiv2;
    private final boolean divided;
    private long pClkEdges;
    private long timeFemtoseconds;
    private int levels;
    private int rising;

    /// Clocks before their first edge, which is a rising one of pClk at time 0; uClk_usrDiv2 has
    /// half the frequency of uClk_usr and rises with it.
    ///
    /// CCIP-CLK-3, CCIP-CLK-5: uClk_usrDiv2 has half of uClk_usr.
    public Clocks(double pClkMegahertz, double userMegahertz, long seed) {
        this(pClkMegahertz, userMegahertz, OptionalDouble.empty(), seed);
    }

    /// Clocks before their first edge, with uClk_usrDiv2 at a frequency of its own and not
    /// synchronous to uClk_usr.
    ///
    /// CCIP-CLK-5: or a frequency of its own.
    public Clocks(double pClkMegahertz, double userMegahertz, double userDiv2Megahertz, long seed) {
        this(pClkMegahertz, userMegahertz, OptionalDouble.of(userDiv2Megahertz), seed);
    }

    private Clocks(double pClk, double userClock, OptionalDouble userDiv2Clock, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        pClkHalf = half("pClk", pClk);
        user = new UserClock(half("uClk_usr", userClock), random.split());
        divided = userDiv2Clock.isEmpty();
        userDiv2 =
                new UserClock(
                        half("uClk_usrDiv2", userDiv2Clock.orElse(userClock)), random.split());
    }

    private static long half(String clock, double megahertz) {
        if (!(megahertz >= 0.001 && megahertz <= 10_000)) {
            throw new IllegalArgumentException(
                    clock + " at " + megahertz + " MHz; valid are 0.001 to 10000");
        }
        return Math.round(FEMTOSECONDS_PER_MICROSECOND / megahertz / 2);
    }

    /// Which of pClk, pClkDiv2 and pClkDiv4 are high after rising edge `cycle` of pClk, counted
    /// from 0. pClk falls half a period later, the others keep their level until the next edge.
    ///
    /// CCIP-CLK-2: in phase with pClk, each edge at one of its rising edges.
    public static int dividedLevels(long cycle) {
        return P_CLK | ((cycle & 1) == 0 ? P_CLK_DIV2 : 0) | ((cycle & 2) == 0 ? P_CLK_DIV4 : 0);
    }

    /// Goes on to the next time at which a clock rises or falls.
    public void advance() {
        long next = Math.min(pClkEdges * pClkHalf, user.next);
        if (!divided) {
            next = Math.min(next, userDiv2.next);
        }
        int before = levels;
        timeFemtoseconds = next;
        if (next == pClkEdges * pClkHalf) {
            int divisions = levels & (P_CLK_DIV2 | P_CLK_DIV4);
            int high = (pClkEdges & 1) == 0 ? dividedLevels(pClkEdges >> 1) : divisions;
            levels = (levels & ~(P_CLK | P_CLK_DIV2 | P_CLK_DIV4)) | high;
            pClkEdges++;
        }
        if (next == user.next) {
            levels ^= U_CLK;
            if (divided && (levels & U_CLK) != 0) {
                levels ^= U_CLK_DIV2;
            }
            user.toggle();
        }
        if (!divided && next == userDiv2.next) {
            levels ^= U_CLK_DIV2;
            userDiv2.toggle();
        }
        rising = levels & ~before;
    }

    /// The set of the clocks that are high now.
    public int levels() {
        return levels;
    }

    /// Whether all of these clocks rise now.
    public boolean rises(int clocks) {
        return (rising & clocks) == clocks;
    }

    /// Now, counted from the first rising edge of pClk.
    public long timeFemtoseconds() {
        return timeFemtoseconds;
    }

    /// One clock that keeps to no other: its phase is arbitrary, and each edge a little off.
    private static final class UserClock {
        final long half;
        final SplittableRandom random;
        long ideal;
        long next;

        UserClock(long half, SplittableRandom random) {
            this.half = half;
            this.random = random;
            ideal = random.nextLong(2 * half);
            next = ideal;
        }

        void toggle() {
            ideal += half;
            next = ideal + random.nextLong(half / JITTER + 1);
        }
    }
}
