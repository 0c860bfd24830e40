package dev.outboard.dpa.rv;

import dev.outboard.dpa.elf.ElfException;
import dev.outboard.dpa.elf.ElfProgram;
import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.memory.FaultSignal;
import dev.outboard.dpa.machine.run.EndSignal;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// Runs a static program of RV64 that knows nothing of the DPA, such as a test of the instruction
/// set: one thread, at the addresses that it is linked to, from its entry until the environment
/// call 93, as a program of Linux ends. Any other call faults. It runs once, in the thread that
/// calls.
///
/// ```java
/// BareRun.Result result = BareRun.of(ElfProgram.parse(bytes)).run(BareRun.DEFAULT_LIMIT);
/// ```
public final class BareRun {
    /// How many instructions a program may run if nobody says it: minutes.
    public static final long DEFAULT_LIMIT = 10_000_000_000L;

    private static final long EXIT = 93;
    private static final int EXIT_CODE = 0xff;

    /// Zeros above the stack pointer at its beginning, where a program of Linux has its arguments:
    /// none.
    private static final int NO_ARGUMENTS_BYTES = 256;

    /// How it ended; neither, if whoever follows it has ended it.
    ///
    /// @param exitCode the lowest 8 bits of a0 at call 93
    /// @param crash what it did that is forbidden
    public record Result(OptionalInt exitCode, Optional<CrashReport> crash) {}

    private final ElfProgram program;
    private final BareMemory memory;
    private final RvHart hart;
    private OptionalInt exitCode = OptionalInt.empty();

    private BareRun(ElfProgram program) {
        this.program = program;
        checkEntry(program);
        memory = new BareMemory(program.segments());
        hart = new RvHart(RvCode.of(program), this::call);
        hart.register(RvHart.STACK_POINTER, BareMemory.STACK_END - NO_ARGUMENTS_BYTES);
    }

    /// Loads it.
    ///
    /// @throws ElfException if it has no code, or more than there is memory for
    public static BareRun of(ElfProgram program) {
        return new BareRun(program);
    }

    private static void checkEntry(ElfProgram program) {
        if (program.entry() == 0) {
            throw new ElfException(
                    "The program has no entry point, as programs for the DPA have none; the linker takes it from the symbol _start");
        }
        if (program.code().stream().noneMatch(range -> range.contains(program.entry()))) {
            throw new ElfException(
                    "The program begins at 0x%x, where no code is; code is at %s"
                            .formatted(program.entry(), program.code()));
        }
    }

    /// Lets somebody follow it.
    public void follow(Probe probe) {
        hart.follow(probe);
    }

    /// Runs it.
    ///
    /// @param limitInstructions how many instructions it may run, at least 1
    public Result run(long limitInstructions) {
        BareThread thread = new BareThread(memory, limitInstructions);
        try {
            hart.run(thread, program.entry());
            if (exitCode.isEmpty()) {
                throw new FaultSignal(
                        Fault.BAD_FETCH,
                        "the program returned from where it began; it ends by environment call 93");
            }
        } catch (FaultSignal fault) {
            return new Result(OptionalInt.empty(), Optional.of(report(fault, thread)));
        } catch (EndSignal end) {
            return new Result(OptionalInt.empty(), Optional.empty());
        }
        return new Result(exitCode, Optional.empty());
    }

    private CrashReport report(FaultSignal signal, BareThread program) {
        Fault fault = signal.fault();
        String thread = "program";
        int unit = program.unit();
        long address = signal.address();
        int lengthBytes = signal.lengthBytes();
        String detail = signal.detail();
        CodePlace place = place(hart.faultedAt());
        List<MemoryOperation> latest = program.latest();
        return new CrashReport(fault, thread, unit, address, lengthBytes, detail, place, latest);
    }

    /// A program whose lines cannot be read runs nevertheless.
    private CodePlace place(long pc) {
        try {
            return program.debug().place(pc);
        } catch (ElfException e) {
            return CodePlace.NONE;
        }
    }

    private long call(RvHart caller, DpaThread thread, long number) {
        if (number != EXIT) {
            return RvHart.unknownCall(number);
        }
        exitCode = OptionalInt.of((int) caller.argument(0) & EXIT_CODE);
        caller.stop();
        return caller.argument(0);
    }
}
