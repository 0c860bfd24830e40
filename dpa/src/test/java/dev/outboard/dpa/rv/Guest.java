package dev.outboard.dpa.rv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.CycleCosts;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.MachineOptions.Timing;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpa.process.DpaProcess;
import java.util.List;

/// A process with one thread that runs code of a test from its first byte on: a0 holds the address
/// of the heap, a1 that of the globals, sp the top of the stack.
final class Guest {
    static final int HEAP_BYTES = 4096;
    static final int GLOBAL_BYTES = 64;
    private static final long WATCHDOG_NANOS = 1_000_000;

    static final Way INTERPRETED = new Way(RunMode.fast(), RvCode.NEVER_COMPILED);
    static final Way COMPILED = new Way(RunMode.fast(), 0);

    final DpaProcess process;
    final RvHart hart;
    private final RunMode mode;

    /// How code is run.
    ///
    /// @param threshold of [RvCode]
    record Way(RunMode mode, int threshold) {
        private static Way of(RunMode mode) {
            return new Way(mode, 0);
        }
    }

    Guest(Way way, CodeBuffer code) {
        this(way, code, (hart, thread, number) -> RvHart.unknownCall(number));
    }

    Guest(Way way, CodeBuffer code, Ecalls calls) {
        mode = way.mode;
        MachineOptions options =
                MachineOptions.DEFAULT
                        .withUnits(UnitGrid.SMALL)
                        .withStorage(new Storage(HEAP_BYTES, 4096, false))
                        .withTiming(new Timing(WATCHDOG_NANOS, 1_000, CycleCosts.DEFAULT));
        byte[] bytes = code.toByteArray();
        process =
                DpaProcess.open(options, new ProgramImage(bytes, new byte[0], GLOBAL_BYTES), mode);
        hart = new RvHart(new RvCode(AddressMap.CODE, bytes, way.threshold), calls);
        process.trustedThread(
                "guest",
                thread -> {
                    hart.register(RvHart.FIRST_ARGUMENT, AddressMap.HEAP);
                    hart.register(RvHart.FIRST_ARGUMENT + 1, AddressMap.GLOBALS);
                    hart.register(RvHart.STACK_POINTER, thread.allocateStack(0));
                    hart.run(thread, AddressMap.CODE);
                },
                ThreadAttributes.DEFAULT);
    }

    /// FAST by both.
    static List<Way> fast() {
        return List.of(INTERPRETED, COMPILED);
    }

    /// FAST by both, its rules in turns, and WEAK.
    static List<Way> runs() {
        return List.of(
                INTERPRETED,
                COMPILED,
                Way.of(RunMode.check(Observer.NONE, 1)),
                Way.of(RunMode.weak(Profile.SEED, 1)));
    }

    /// All that a program runs in.
    static List<Way> modes() {
        return List.of(
                INTERPRETED,
                COMPILED,
                Way.of(RunMode.check(Observer.NONE, 1)),
                Way.of(RunMode.weak(Profile.SEED, 1)),
                Way.of(RunMode.explore(Profile.SEED)));
    }

    /// Runs it to its end.
    RvHart run() {
        RunResult result = result();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
        return hart;
    }

    /// Runs it to this fault.
    CrashReport crash(Fault fault) {
        RunResult result = result();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.FAULT);
        CrashReport crash = result.crash().orElseThrow();
        assertThat(crash.fault()).as(crash.text()).isEqualTo(fault);
        return crash;
    }

    private RunResult result() {
        if (!(mode instanceof RunMode.Explore)) {
            return process.run();
        }
        RunResult[] last = new RunResult[1];
        process.explore(result -> {
            last[0] = result;
            return result.end().toString();
        });
        return last[0];
    }
}
