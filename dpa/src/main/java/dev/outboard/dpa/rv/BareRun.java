package dev.outboard.dpa.rv;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.process.DpaProcess;

/// Runs a static program of RV64 that knows nothing of the DPA, such as a test of the instruction
/// set: one thread, from its entry until the environment call 93, as a program of Linux ends. Any
/// other call faults.
public final class BareRun {
    private static final long EXIT = 93;

    /// How it ended.
    ///
    /// @param run of the process
    /// @param exitCode what a0 held at call 93, or 0 if it did not come to that
    public record Result(RunResult run, long exitCode) {}

    private long exitCode;

    private BareRun() {}

    /// Runs it.
    ///
    /// @param process with the memory of the program, and nothing else to run
    /// @param entry the address of its first instruction; the stack pointer is set
    public static Result run(DpaProcess process, RvCode code, long entry) {
        BareRun bare = new BareRun();
        process.trustedThread(
                "program",
                thread -> {
                    RvHart hart = new RvHart(code, bare::call);
                    hart.register(RvHart.STACK_POINTER, thread.allocateStack(0));
                    hart.run(thread, entry);
                },
                ThreadAttributes.DEFAULT);
        RunResult result = process.run();
        return new Result(result, bare.exitCode);
    }

    private long call(RvHart hart, DpaThread thread, long number) {
        if (number != EXIT) {
            return RvHart.unknownCall(number);
        }
        exitCode = hart.argument(0);
        hart.stop();
        return exitCode;
    }
}
