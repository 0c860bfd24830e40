package dev.outboard.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.testkit.RunningProgram;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Measures what something allocates once all is warm, on whatever thread, in processes of its own,
/// since what the compiler leaves out depends on all that has run before.
public final class AllocationTrial {
    private static final int ROUNDS = 100;
    private static final int PROCESSES = 10;
    private static final String NOTHING = "nothing";

    /// What the rest of the process may allocate meanwhile: less than an object per operation.
    private static final long SLACK_BYTES = 4;

    private AllocationTrial() {}

    /// In one process of four or five the compiler calls what the JDK has around `recvmsg` instead
    /// of copying it in, and that allocates 100 bytes per call, for whoever receives; not in all of
    /// them.
    ///
    /// @param measuring its `main` calls [#run]
    public static void allocatesNothing(Class<?> measuring) throws IOException {
        List<String> said = new ArrayList<>();
        while (said.size() < PROCESSES && !said.contains(NOTHING)) {
            said.add(measureApart(measuring));
        }
        assertThat(said).contains(NOTHING);
    }

    private static String measureApart(Class<?> measuring) throws IOException {
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--class-path",
                        System.getProperty("java.class.path"),
                        measuring.getName());
        Process process = new ProcessBuilder(command).start();
        try (RunningProgram program = new RunningProgram(measuring.getSimpleName(), process)) {
            assertThat(program.ends(Duration.ofMinutes(2))).isTrue();
            return program.output().strip();
        }
    }

    /// Does something in many rounds, and says how many bytes the best of them has allocated, if
    /// that is not nothing.
    ///
    /// @param operations of a round
    public static void run(int operations, Runnable round) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS && least >= SLACK_BYTES * operations; i++) {
            long before = threads.getTotalThreadAllocatedBytes();
            round.run();
            least = Math.min(least, threads.getTotalThreadAllocatedBytes() - before);
        }
        System.out.println(
                least < SLACK_BYTES * operations
                        ? NOTHING
                        : "%d bytes in %d operations".formatted(least, operations));
    }
}
