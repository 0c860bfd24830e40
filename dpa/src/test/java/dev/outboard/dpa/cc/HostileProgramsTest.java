package dev.outboard.dpa.cc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.run.EndSignal;
import dev.outboard.dpa.rv.Ecalls;
import dev.outboard.dpa.rv.Neighbours;
import dev.outboard.dpa.rv.RvCode;
import dev.outboard.dpa.rv.RvHart;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.testkit.Requirement;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Programs in C that do what they should not, and calls of the environment that nobody should
/// make, cost their process only.
@Timeout(300)
class HostileProgramsTest {
    private static final int CALL_NUMBER = 17;
    private static final int ARGUMENTS = 7;
    private static final long LAST_NUMBER = 0x2000;

    /// `ecall` and `ret`.
    private static final byte[] ONE_CALL = {0x73, 0, 0, 0, (byte) 0x82, (byte) 0x80};

    /// What each argument of a call is.
    private static final long[] VALUES = {
        0, 1, -1, 3, Long.MIN_VALUE, Long.MAX_VALUE, Integer.MAX_VALUE, AddressMap.HEAP + 3, -8
    };

    /// A function, what it is given, and what ends it.
    private record Deed(String function, Fault fault, long... given) {}

    private static final List<Deed> DEEDS =
            List.of(
                    new Deed("spin", Fault.WATCHDOG),
                    new Deed("spin_in_registers", Fault.WATCHDOG),
                    new Deed("huge_frame", Fault.BAD_STORE),
                    new Deed("frame_of_a_stack", Fault.STACK_OVERFLOW),
                    new Deed("deep", Fault.STACK_OVERFLOW),
                    new Deed("mutual", Fault.STACK_OVERFLOW),
                    new Deed("sweep_up", Fault.BAD_STORE),
                    new Deed("sweep_down", Fault.BAD_STORE),
                    new Deed("sweep_heap", Fault.BAD_STORE, AddressMap.HEAP),
                    new Deed("wild", Fault.BAD_STORE, 0),
                    new Deed("wild", Fault.READ_ONLY, AddressMap.CODE),
                    new Deed("wild", Fault.MISALIGNED_STORE, -1),
                    new Deed("wild", Fault.WINDOW_NOT_CONFIGURED, -8),
                    new Deed("wild", Fault.OUTBOX_NOT_CONFIGURED, AddressMap.OUTBOX),
                    new Deed("jump", Fault.BAD_FETCH, 0),
                    new Deed("jump", Fault.BAD_FETCH, -1),
                    new Deed("jump", Fault.BAD_FETCH, AddressMap.HEAP),
                    new Deed("middle", Fault.ILLEGAL_INSTRUCTION),
                    new Deed("ones", Fault.ILLEGAL_INSTRUCTION),
                    new Deed("atomics", Fault.MISALIGNED_STORE, AddressMap.HEAP + 4),
                    new Deed("atomics", Fault.ATOMIC_ON_WINDOW, -8),
                    new Deed("chatter", Fault.WATCHDOG, AddressMap.CODE),
                    new Deed("chatter", Fault.WINDOW_NOT_CONFIGURED, -1),
                    new Deed("format", Fault.BAD_LOAD, 0),
                    new Deed("format", Fault.WINDOW_NOT_CONFIGURED, -1));

    private static List<RunMode> modes() {
        return List.of(RunMode.fast(), RunMode.check(Observer.NONE, 1));
    }

    private static Stream<Arguments> ways() {
        byte[] elf = Clang.elf("hostile");
        return Stream.of(
                Arguments.of(RunMode.fast(), CProgram.app("hostile", elf)),
                Arguments.of(RunMode.fast(), CProgram.interpreted("hostile", elf)),
                Arguments.of(RunMode.check(Observer.NONE, 1), CProgram.app("hostile", elf)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    @Requirement("DPA-SYS-5")
    void theFaultOfAProgramEndsItAndNobodyElse(RunMode mode, DpaApp<DpaThread> app) {
        try (Neighbours neighbours = new Neighbours(mode)) {
            for (Deed deed : DEEDS) {
                CrashReport crash =
                        neighbours.crash(
                                deed.function, app, Clang.of(app, deed.function, deed.given));
                assertThat(crash.fault())
                        .as("%s: %s", deed.function, crash.text())
                        .isEqualTo(deed.fault);
            }
        }
    }

    /// Each number, with the same value in all arguments. Only those of threads that know what they
    /// are called for do anything.
    @ParameterizedTest
    @MethodSource("modes")
    void aCallThatNobodyShouldMakeIsHarmlessOrAFault(RunMode mode) {
        RvCode code = new RvCode(AddressMap.CODE, ONE_CALL);
        Ecalls calls = new DeviceCalls(Ecalls.NONE);
        Map<Long, Set<Fault>> faults = new TreeMap<>();
        DpaApp<DpaThread> app =
                Neighbours.app(
                        ONE_CALL,
                        thread -> {
                            RvHart hart = Neighbours.hart(code, thread, calls);
                            for (long number = -1; number <= LAST_NUMBER; number++) {
                                faults.put(number, call(hart, thread, number));
                            }
                            return 0;
                        });
        try (Neighbours neighbours = new Neighbours(mode)) {
            neighbours.call(app, Neighbours.callOf(app));
        }
        Set<Fault> all = EnumSet.noneOf(Fault.class);
        faults.values().forEach(all::addAll);
        assertThat(all)
                .containsExactlyInAnyOrder(
                        Fault.UNKNOWN_CALL,
                        Fault.RPC_LEFT,
                        Fault.MISALIGNED_STORE,
                        Fault.MISALIGNED_LOAD,
                        Fault.BAD_STORE,
                        Fault.BAD_LOAD,
                        Fault.BUF_INDEX,
                        Fault.COPY_FAILED,
                        Fault.ATOMIC_ON_WINDOW,
                        Fault.WINDOW_NOT_CONFIGURED,
                        Fault.NO_DOCA_THREAD);
        for (long number :
                new long[] {-1, 0, 0x08, 0x0ff, 0x1b5, CallNumbers.OTHERS, LAST_NUMBER}) {
            assertThat(faults.get(number)).containsExactly(Fault.UNKNOWN_CALL);
        }
    }

    private static Set<Fault> call(RvHart hart, DpaThread thread, long number) {
        Set<Fault> faults = EnumSet.noneOf(Fault.class);
        for (long value : VALUES) {
            for (int i = 0; i < ARGUMENTS; i++) {
                hart.register(RvHart.FIRST_ARGUMENT + i, value);
            }
            hart.register(CALL_NUMBER, number);
            try {
                hart.run(thread, AddressMap.CODE);
            } catch (FaultSignal thrown) {
                faults.add(thrown.fault());
            } catch (EndSignal end) {
                // It would have ended the call, the thread or the process.
            }
        }
        return faults;
    }
}
