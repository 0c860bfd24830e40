package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// A kernel ends in each mode, in whatever way it goes on for ever.
@Timeout(120)
class KernelFuelTest {
    private static final long WATCHDOG_NANOS = 20_000_000;
    private static final int STACK_BYTES = 1024;

    private static final MachineOptions OPTIONS =
            ProcessFixture.OPTIONS.withTiming(
                    new Timing(WATCHDOG_NANOS, Timing.DEFAULT.tickNanos(), CycleCosts.DEFAULT));

    static List<RunMode> modes() {
        return ProcessFixture.modes();
    }

    private static DpaProcess open(Class<? extends DpaProgram> program, RunMode mode) {
        DpaProcess process = DpaProcess.open(OPTIONS, ProgramImage.globals(64), mode);
        process.load(program).setUp(process);
        return process;
    }

    private static RunResult run(Class<? extends DpaProgram> program, RunMode mode) {
        return run(open(program, mode), mode);
    }

    private static RunResult run(DpaProcess process, RunMode mode) {
        if (!(mode instanceof RunMode.Explore)) {
            return process.run();
        }
        List<RunResult> results = new ArrayList<>();
        process.explore(result -> {
            results.add(result);
            return result.end().toString();
        });
        return results.getLast();
    }

    /// All that never end, each in its own way.
    static List<Arguments> endless() {
        List<Class<? extends DpaProgram>> programs =
                List.of(
                        Empty.class,
                        Nested.class,
                        Timeless.class,
                        Skipping.class,
                        Caught.class,
                        Lost.class,
                        Called.class,
                        Selecting.class,
                        Many.class);
        return modes().stream()
                .flatMap(mode -> programs.stream().map(program -> Arguments.of(program, mode)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("endless")
    @Requirement({"DPA-JK-7a", "DPA-HW-3", "DPA-ERR-16"})
    void theWatchdogEndsALoop(Class<? extends DpaProgram> program, RunMode mode) {
        RunResult result = run(program, mode);
        assertThat(result.end()).isEqualTo(End.FAULT);
        CrashReport crash = result.crash().orElseThrow();
        assertThat(crash.fault()).as(crash.text()).isEqualTo(Fault.WATCHDOG);
        assertThat(crash.thread()).isEqualTo("endless");
        assertThat(crash.place().file()).isEqualTo("KernelFuelTest.java");
        assertThat(crash.place().line()).isPositive();
    }

    abstract static class Endless implements DpaProgram {
        @Override
        public void setUp(DpaProcess process) {
            process.thread("endless", new Kept(this));
        }

        abstract void run(DpaThread thread);

        private record Kept(Endless endless) implements Kernel {
            @Override
            public void run(DpaThread thread) {
                endless.run(thread);
            }
        }
    }

    static final class Empty extends Endless {
        @Override
        void run(DpaThread thread) {
            while (true) {}
        }
    }

    static final class Nested extends Endless {
        @Override
        void run(DpaThread thread) {
            int sum = 0;
            outer:
            while (true) {
                for (int i = 0; ; i++) {
                    sum += i;
                    if (sum % 7 == 3) {
                        continue outer;
                    }
                }
            }
        }
    }

    static final class Timeless extends Endless {
        @Override
        void run(DpaThread thread) {
            while (thread.number() + thread.unit() + thread.argument() >= 0) {}
        }
    }

    /// Has an access in the loop that it never comes to.
    static final class Skipping extends Endless {
        @Override
        void run(DpaThread thread) {
            for (int i = 0; ; i++) {
                if (i == -1) {
                    thread.load64(AddressMap.GLOBALS);
                }
            }
        }
    }

    /// Has an access in the loop that an exception passes over.
    static final class Caught extends Endless {
        @Override
        void run(DpaThread thread) {
            int zero = thread.number();
            while (true) {
                try {
                    thread.store64(AddressMap.GLOBALS + 8, 1 / zero);
                } catch (ArithmeticException e) {
                    zero = 0;
                }
            }
        }
    }

    /// What was counted is lost with each exception.
    static final class Lost extends Endless {
        @Override
        void run(DpaThread thread) {
            while (true) {
                try {
                    some(thread.number());
                } catch (ArithmeticException e) {
                    thread.number();
                }
            }
        }

        private static int some(int zero) {
            int sum = 0;
            for (int i = 0; i < 1000; i++) {
                sum += i;
            }
            return sum / zero;
        }
    }

    /// The loop is in a method that knows no thread.
    static final class Called extends Endless {
        @Override
        void run(DpaThread thread) {
            thread.store64(AddressMap.GLOBALS, collatz(7));
        }

        private static long collatz(long start) {
            long n = start;
            while (n != 0) {
                n = n % 2 == 0 ? n / 2 : 3 * n + 1;
            }
            return n;
        }
    }

    static final class Selecting extends Endless {
        @Override
        void run(DpaThread thread) {
            int state = 0;
            while (true) {
                switch (state) {
                    case 0 -> state = 5;
                    case 5 -> state = 9;
                    case 9 -> state = 0;
                    default -> thread.finish();
                }
            }
        }
    }

    /// No loop, and no deep call, but very many: two to the power of 25.
    static final class Many extends Endless {
        @Override
        void run(DpaThread thread) {
            many(25, 0);
        }

        private static int many(int depth, int sum) {
            return depth == 0 ? sum + 1 : many(depth - 1, many(depth - 1, sum));
        }
    }

    /// All that call themselves without end.
    static List<Arguments> deep() {
        List<Class<? extends DpaProgram>> programs =
                List.of(Itself.class, EachOther.class, ThroughLambda.class, Making.class);
        return modes().stream()
                .flatMap(mode -> programs.stream().map(program -> Arguments.of(program, mode)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("deep")
    @Requirement({"DPA-JK-7b", "DPA-HW-9", "DPA-ERR-4c"})
    void callsWithoutEndOverflowTheStack(Class<? extends DpaProgram> program, RunMode mode) {
        CrashReport crash = run(program, mode).crash().orElseThrow();
        assertThat(crash.fault()).as(crash.text()).isEqualTo(Fault.STACK_OVERFLOW);
        assertThat(crash.detail()).contains("calls are too deep", "of the 1024 bytes");
        assertThat(crash.place().line()).isPositive();
    }

    static final class Itself extends Endless {
        @Override
        void run(DpaThread thread) {
            depth(thread, 1);
        }

        @SuppressWarnings("InfiniteRecursion")
        private static long depth(DpaThread thread, long depth) {
            return depth(thread, depth + 1) + thread.number();
        }
    }

    static final class EachOther extends Endless {
        @Override
        void run(DpaThread thread) {
            even(0);
        }

        @SuppressWarnings("InfiniteRecursion")
        private static boolean even(int n) {
            return odd(n + 1);
        }

        private static boolean odd(int n) {
            return even(n - 1);
        }
    }

    static final class ThroughLambda extends Endless {
        private interface Step {
            long go(long n);
        }

        private final Step step = this::next;

        @Override
        void run(DpaThread thread) {
            next(0);
        }

        private long next(long n) {
            return step.go(n + 1);
        }
    }

    static final class Making extends Endless {
        private record Node(Node next) {
            @SuppressWarnings("InfiniteRecursion")
            private Node(long n) {
                this(new Node(n + 1));
            }
        }

        @Override
        void run(DpaThread thread) {
            new Node(0).next();
        }
    }

    /// As deep as the stack allows, again and again, and out of it by exceptions.
    static final class AsDeepAsAllowed implements DpaProgram {
        @Override
        public void setUp(DpaProcess process) {
            process.thread(
                    "deep",
                    thread -> {
                        long sum = 0;
                        for (int i = 0; i < 100; i++) {
                            sum += depth(20);
                            try {
                                sum += fail(20);
                            } catch (IllegalStateException e) {
                                sum += 1000;
                            }
                        }
                        thread.store64(AddressMap.GLOBALS, sum);
                    });
        }

        private static long depth(long left) {
            return left == 0 ? 0 : 1 + depth(left - 1);
        }

        @SuppressWarnings("InfiniteRecursion")
        private static long fail(long left) {
            if (left == 0) {
                throw new IllegalStateException();
            }
            return 1 + fail(left - 1);
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void framesAreLeftByReturnsAndByExceptions(RunMode mode) {
        DpaProcess process = open(AsDeepAsAllowed.class, mode);
        RunResult result = run(process, mode);
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
        assertThat(process.read64(AddressMap.GLOBALS)).isEqualTo(100 * 1020);
    }

    /// Frames and what is allocated share the stack.
    static final class Shared implements DpaProgram {
        @Override
        public void setUp(DpaProcess process) {
            process.thread(
                    "shared",
                    thread -> {
                        thread.allocateStack(STACK_BYTES - 100);
                        AsDeepAsAllowed.depth(20);
                    });
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-HW-9")
    void framesTakeRoomBesideWhatIsAllocated(RunMode mode) {
        CrashReport crash = run(Shared.class, mode).crash().orElseThrow();
        assertThat(crash.fault()).as(crash.text()).isEqualTo(Fault.STACK_OVERFLOW);
    }

    /// Work of its own beside a store now and then, told with its time.
    static final class Working implements DpaProgram {
        @Override
        public void setUp(DpaProcess process) {
            for (int number = 0; number < 2; number++) {
                long cell = AddressMap.GLOBALS + 16L * number;
                process.thread(
                        "worker " + number,
                        thread -> {
                            long sum = 0;
                            for (int i = 0; i < 30; i++) {
                                for (int j = 0; j < 5000 * (i % 4); j++) {
                                    sum = sum * 31 + j;
                                }
                                thread.store64(cell, sum);
                                thread.store64(cell + 8, thread.cycles());
                            }
                        });
            }
        }
    }

    private static List<String> trace(long seed) {
        Trace trace = new Trace();
        DpaProcess process = open(Working.class, RunMode.check(trace, seed));
        assertThat(process.run().end()).isEqualTo(End.DONE);
        List<String> all = new ArrayList<>(trace.lines);
        for (int i = 0; i < 4; i++) {
            all.add("" + process.read64(AddressMap.GLOBALS + 8L * i));
        }
        return all;
    }

    @Test
    @Requirement("DPA-HW-14")
    void whatIsCountedInTurnsFollowsFromTheSeed() {
        assertThat(trace(5)).isEqualTo(trace(5)).isNotEqualTo(trace(6));
    }

    /// One that loops costs its own process only.
    @Test
    @Requirement("DPA-JK-7a")
    void anotherProcessGoesOn() throws InterruptedException {
        RunResult[] results = new RunResult[1];
        Thread other =
                Thread.ofPlatform().start(() -> results[0] = run(Empty.class, RunMode.fast()));
        assertThat(run(Working.class, RunMode.fast()).end()).isEqualTo(End.DONE);
        other.join();
        assertThat(results[0].end()).isEqualTo(End.FAULT);
    }
}
