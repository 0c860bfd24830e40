package dev.outboard.dpa.cc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.ProgramImage;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.RunResult;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.dpacc.DpaFunction;
import dev.outboard.dpacc.DpaImage;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// To enter a function in C and to leave it allocates nothing, once all is warm.
class CallAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MAX_ROUNDS = 2_000;
    private static final int TIMES = 1_000;
    private static final String SOURCE =
            """
            #include <dpaintrin.h>
            __dpa_rpc__ uint64_t next(uint64_t value) { return value + 1; }
            """;

    @TempDir private Path directory;

    @Test
    void aCallAllocatesNothing() throws IOException {
        Path file = directory.resolve("kernel.c");
        DeviceCompiler compiler = Clang.orSkip();
        Files.writeString(file, SOURCE);
        byte[] elf = compiler.compile(DeviceSources.of(file));
        for (DpaApp<DpaThread> app :
                List.of(CProgram.app("kernel", elf), CProgram.interpreted("kernel", elf))) {
            assertThat(leastBytes(app)).isZero();
        }
    }

    private static long leastBytes(DpaApp<DpaThread> app) {
        DpaImage image = app.image().orElseThrow();
        DpaProcess process =
                DpaProcess.open(
                        MachineOptions.DEFAULT,
                        new ProgramImage(image.code(), image.data(), image.zeroBytes()),
                        RunMode.fast());
        long[] least = {Long.MAX_VALUE};
        process.trustedThread(
                "calls",
                thread -> least[0] = leastBytes(app.function("next"), thread),
                ThreadAttributes.DEFAULT);
        RunResult result = process.run();
        assertThat(result.end()).as(result.toString()).isEqualTo(End.DONE);
        return least[0];
    }

    /// The fewest bytes that so many calls of a round have allocated.
    private static long leastBytes(DpaFunction<DpaThread> function, DpaThread thread) {
        ByteBuffer arguments = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long least = Long.MAX_VALUE;
        for (int round = 0; round < MAX_ROUNDS && least > 0; round++) {
            long before = THREADS.getTotalThreadAllocatedBytes();
            long value = 0;
            for (int i = 0; i < TIMES; i++) {
                arguments.putLong(0, value);
                value = function.body().run(thread, arguments);
            }
            least = Math.min(least, THREADS.getTotalThreadAllocatedBytes() - before);
            assertThat(value).isEqualTo(TIMES);
        }
        return least;
    }
}
