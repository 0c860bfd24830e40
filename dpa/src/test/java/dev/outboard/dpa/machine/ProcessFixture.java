package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.MachineOptions.Storage;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.process.DpaProcess;
import java.util.List;

/// A small process with memory of each kind, for one run in any mode.
final class ProcessFixture {
    static final int STACK_BYTES = 1024;
    static final int HEAP_BYTES = 4096;
    static final int GLOBAL_BYTES = 64;
    static final byte[] CONSTANTS = {1, 2, 3, 4, 5, 6, 7, 8};
    static final byte FIRST_GLOBAL = 9;

    static final MachineOptions OPTIONS =
            MachineOptions.DEFAULT
                    .withUnits(UnitGrid.SMALL)
                    .withStorage(new Storage(HEAP_BYTES, STACK_BYTES, false));

    final DpaProcess process;
    final ExternalRegion region;

    /// For 128 bytes of the region, from its 64th on.
    final ExternalKey key;

    final int outbox;
    private final RunMode mode;

    ProcessFixture(RunMode mode) {
        this(mode, OPTIONS);
    }

    ProcessFixture(RunMode mode, MachineOptions options) {
        this.mode = mode;
        ProgramImage image =
                new ProgramImage(CONSTANTS, new byte[] {FIRST_GLOBAL}, GLOBAL_BYTES - 1);
        process = DpaProcess.open(options, image, mode);
        region = process.external().add("region", ExternalKind.HOST, 4096);
        key = process.external().register(region, 64, 128, Rights.READ_WRITE);
        outbox = process.createOutbox();
    }

    /// FAST, its rules in turns, and WEAK.
    static List<RunMode> runs() {
        return List.of(
                RunMode.fast(), RunMode.check(new Trace(), 1), RunMode.weak(Profile.SEED, 1));
    }

    /// All that a program runs in.
    static List<RunMode> modes() {
        return List.of(
                RunMode.fast(),
                RunMode.check(new Trace(), 1),
                RunMode.weak(Profile.SEED, 1),
                RunMode.explore(Profile.SEED));
    }

    /// Runs the process, in EXPLORE one of all its runs.
    RunResult run() {
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

    /// Runs a kernel that does what the machine forbids.
    CrashReport crash(Kernel kernel) {
        culprit(kernel);
        return crash();
    }

    /// Adds a thread that does what the machine forbids.
    void culprit(Kernel kernel) {
        process.thread("culprit", kernel);
    }

    /// Runs what has been added, which does what the machine forbids.
    CrashReport crash() {
        RunResult result = run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.FAULT);
        return result.crash().orElseThrow();
    }

    /// Runs a kernel that does not.
    void fine(Kernel kernel) {
        process.thread("good", kernel);
        runsToItsEnd();
    }

    void runsToItsEnd() {
        RunResult result = run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
    }

    static void assertFault(
            CrashReport crash, Fault fault, int code, long address, int lengthBytes) {
        assertThat(crash.fault()).as(crash.text()).isEqualTo(fault);
        assertThat(crash.fault().code()).isEqualTo(code);
        assertThat(crash.address()).as(crash.text()).isEqualTo(address);
        assertThat(crash.lengthBytes()).isEqualTo(lengthBytes);
    }
}
