package dev.outboard.testkit;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.util.Optional;
import java.util.stream.LongStream;

/// Runs a test once per seed and says, when one fails, how to run exactly that one again:
///
/// ```java
/// @Test
/// void everyByteArrivesOnce() {
///     Seeds.campaign(1_000, seed -> new Scenario(seed).run());
/// }
/// ```
///
/// `-Dseed=17` runs seed 17 alone. `-Dseeds=100000` runs that many instead of the count in the
/// test, for a night without sleep.
public final class Seeds {
    private static final String ONE_SEED = "seed";
    private static final String SEED_COUNT = "seeds";

    private Seeds() {}

    /// What is tried with every seed. The seed must decide everything that happens in it.
    @FunctionalInterface
    public interface Trial {
        void run(long seed) throws Exception;
    }

    /// Runs `trial` with the seeds 0 to `count` - 1 and stops at the first that fails.
    ///
    /// @throws AssertionError with the seed and the command that replays it
    public static void campaign(int count, Trial trial) {
        run(seeds(count), trial, caller());
    }

    /// Like [#campaign], on all processors at a time: for trials that share nothing. Of several
    /// seeds that fail it tells the lowest.
    ///
    /// @throws AssertionError with the seed and the command that replays it
    public static void parallelCampaign(int count, Trial trial) {
        run(seeds(count).parallel(), trial, caller());
    }

    private static LongStream seeds(int count) {
        Long one = Long.getLong(ONE_SEED);
        return one == null
                ? LongStream.range(0, Integer.getInteger(SEED_COUNT, count))
                : LongStream.of(one);
    }

    /// The test that called one of the methods above.
    private static StackFrame caller() {
        return StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.skip(2).findFirst().orElseThrow());
    }

    private static void run(LongStream seeds, Trial trial, StackFrame test) {
        Optional<AssertionError> failure =
                seeds.mapToObj(seed -> failure(trial, seed, test))
                        .flatMap(Optional::stream)
                        .findFirst();
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    // Whatever goes wrong, an error inside the code under test included, is a finding.
    private static Optional<AssertionError> failure(Trial trial, long seed, StackFrame test) {
        try {
            trial.run(seed);
            return Optional.empty();
        } catch (Throwable failure) {
            return Optional.of(
                    new AssertionError(
                            "seed "
                                    + seed
                                    + " fails: "
                                    + failure.getMessage()
                                    + "\nTo replay it:\n"
                                    + replayCommand(seed, test),
                            failure));
        }
    }

    private static String replayCommand(long seed, StackFrame test) {
        return MavenCommand.of(
                test.getDeclaringClass().getSimpleName() + "#" + test.getMethodName(),
                "-D" + ONE_SEED + "=" + seed);
    }
}
