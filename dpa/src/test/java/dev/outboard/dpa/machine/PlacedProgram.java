package dev.outboard.dpa.machine;

import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;
import java.util.function.ToLongFunction;

/// A program whose operations stand in all kinds of code. Each line that [ProgramLoaderTest] looks
/// for ends with a name.
final class PlacedProgram implements DpaProgram {
    private static final long CELLS = AddressMap.GLOBALS;

    /// What was given to the constructor of each instance, if the class is loaded once.
    private static int instances;

    private static long cell(int index) {
        return CELLS + 8L * index;
    }

    @Override
    public void setUp(DpaProcess process) {
        instances++;
        process.write64(cell(0), instances);
        process.thread(
                "lambda",
                thread -> {
                    thread.store64(cell(1), 11); // in a lambda
                    helper(thread, 2);
                    ToLongFunction<DpaThread> inner =
                            other -> {
                                other.store64(cell(3), 13); // in a lambda in a lambda
                                return other.load64(cell(1)); // returned by a lambda
                            };
                    thread.store64(cell(4), inner.applyAsLong(thread)); // after an inner call
                });
        process.thread("nested", new Nested(5));
        process.thread(
                "anonymous",
                new Kernel() {
                    @Override
                    public void run(DpaThread thread) {
                        thread.store32(cell(6), 16); // in an anonymous class
                    }
                });
        process.thread("record", new Recorded(cell(7)));
        process.thread("poller", PlacedProgram::poll);
        process.host(
                "host",
                host -> {
                    byte[] seven = {7};
                    host.copyTo(cell(8), seven); // in a host
                });
    }

    private static void helper(DpaThread thread, int index) {
        thread.memoryFence(Op.W, Op.W); // in a helper
        thread.store8(cell(index), 12); // after it
    }

    private static void poll(DpaThread thread) {
        while (thread.load8(cell(8)) != 7) { // polls
            thread.windowReadInv();
        }
        long sum = 0;
        for (int i = 0; i < 4; i++) {
            sum += thread.load8(cell(i)); // scans
        }
        thread.store64(cell(9), sum);
    }

    /// A kernel that is a class.
    private static final class Nested implements Kernel {
        private final int index;

        private Nested(int index) {
            this.index = index;
        }

        @Override
        public void run(DpaThread thread) {
            thread.atomic32(AtomicOp.ADD, cell(index), 15, AtomicOrder.RELAXED); // in a class
        }
    }

    /// A kernel that is a record.
    private record Recorded(long address) implements Kernel {
        @Override
        public void run(DpaThread thread) {
            thread.store16(address, 17); // in a record
        }
    }
}
