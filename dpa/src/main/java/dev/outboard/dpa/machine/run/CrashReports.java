package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.CrashReport;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.MemoryOperation;
import dev.outboard.dpa.machine.memory.FaultSignal;
import java.util.List;

/// Makes crash reports of what a kernel threw.
public final class CrashReports {
    private CrashReports() {}

    /// The report. A stack overflow of Java stands for one of the device; any other exception of a
    /// kernel is to it what an illegal instruction is to a program of the device.
    public static CrashReport of(
            Throwable thrown, String thread, int unit, List<MemoryOperation> latest) {
        FaultSignal signal =
                switch (thrown) {
                    case FaultSignal fault -> fault;
                    case StackOverflowError overflow ->
                            new FaultSignal(Fault.STACK_OVERFLOW, "the calls are too deep");
                    default ->
                            new FaultSignal(
                                    Fault.ILLEGAL_INSTRUCTION, "the kernel threw " + thrown);
                };
        return of(signal, thread, unit, Places.of(thrown), latest);
    }

    /// The report of what a thread has asked for and what fails only later, when it does something
    /// else or nothing.
    public static CrashReport late(FaultSignal signal, String thread, int unit) {
        return of(signal, thread, unit, CodePlace.NONE, List.of());
    }

    private static CrashReport of(
            FaultSignal signal,
            String thread,
            int unit,
            CodePlace place,
            List<MemoryOperation> latest) {
        Fault fault = signal.fault();
        long address = signal.address();
        int lengthBytes = signal.lengthBytes();
        String detail = signal.detail();
        return new CrashReport(fault, thread, unit, address, lengthBytes, detail, place, latest);
    }
}
