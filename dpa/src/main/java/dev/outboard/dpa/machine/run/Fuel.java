package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.unit.UnitCounters;
import org.jspecify.annotations.Nullable;

/// DPA-JK-7: what rewritten programs call, so that none goes on for ever: at rounds of loops and
/// calls, which no operation of the machine may come between. Code that no kernel runs, such as the
/// set-up of a program, spends nothing.
public final class Fuel {
    /// Virtual cycles of a round of a loop without an operation, or of a call: a few instructions.
    /// An order of magnitude, not a measurement.
    public static final int ROUND_CYCLES = 8;

    /// What a call of a method counts that may call itself: it keeps registers on the stack.
    private static final int CALL_ROUNDS = 16;

    private static final ThreadLocal<@Nullable FueledThread> CURRENT = new ThreadLocal<>();

    private Fuel() {}

    /// From now on the calling thread of Java runs a kernel for that one.
    public static void begin(FueledThread thread) {
        CURRENT.set(thread);
    }

    /// It does so no more. It stays known as one that may do so, so that to begin again allocates
    /// nothing.
    public static void end() {
        CURRENT.set(null);
    }

    /// The thread whose kernel the calling thread of Java runs, if it runs any.
    public static @Nullable FueledThread current() {
        return CURRENT.get();
    }

    /// Rounds of loops, and calls.
    public static void spend(@Nullable FueledThread thread, int rounds) {
        if (thread != null) {
            thread.spendRounds(rounds);
        }
    }

    /// A method begins that may call itself; its frame has so many bytes.
    public static void enter(@Nullable FueledThread thread, int frameBytes) {
        if (thread != null) {
            thread.spendRounds(CALL_ROUNDS);
            thread.port().enterFrame(frameBytes);
        }
    }

    /// A method returns that may call itself.
    public static void leave(@Nullable FueledThread thread, int frameBytes) {
        if (thread != null) {
            thread.port().frames(thread.port().frames() - frameBytes);
        }
    }

    /// How many bytes the frames take.
    public static int frames(@Nullable FueledThread thread) {
        return thread == null ? 0 : thread.port().frames();
    }

    /// An exception has left some frames.
    public static void restore(@Nullable FueledThread thread, int frames) {
        if (thread != null) {
            thread.port().frames(frames);
        }
    }

    /// DPA-HW-3: ends a thread that has kept its unit for too many cycles.
    ///
    /// @throws FaultSignal if so
    public static void checkWatchdog(long unitCycles, MachineOptions options) {
        if (UnitCounters.nanos(unitCycles) > options.timing().watchdogNanos()) {
            throw watchdog(options);
        }
    }

    /// DPA-ERR-16: the fault of such a thread.
    public static FaultSignal watchdog(MachineOptions options) {
        return new FaultSignal(
                Fault.WATCHDOG,
                "kept its unit longer than %d ns of virtual time"
                        .formatted(options.timing().watchdogNanos()));
    }
}
