package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.platform.Profile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/// What host programs in tests do again and again.
final class HostPrograms {
    /// Cycles in which anything that these programs do is done.
    static final long ENOUGH = 200_000;

    private HostPrograms() {}

    static Fpga open(Profile profile, Afu afu) {
        return Fpga.open(Simulation.of(profile, afu).build());
    }

    static void start(Fpga fpga, Buffer source, Buffer target) {
        fill(source);
        fpga.writeMmio64(JobRegisters.SOURCE, source.lineAddress());
        fpga.writeMmio64(JobRegisters.DESTINATION, target.lineAddress());
        fpga.writeMmio64(JobRegisters.LINES, source.bytes() / 64);
        fpga.writeMmio64(JobRegisters.CONTROL, JobRegisters.START);
    }

    static void copy(Fpga fpga, Buffer source, Buffer target) {
        start(fpga, source, target);
        fpga.waitUntil(() -> fpga.readMmio64(JobRegisters.STATUS) == JobRegisters.DONE, ENOUGH);
    }

    static void fill(Buffer buffer) {
        long value = buffer.lineAddress();
        for (MemorySegment segment : buffer.segments()) {
            for (long i = 0; i < segment.byteSize() / 8; i++) {
                value = value * 6364136223846793005L + 1442695040888963407L;
                segment.setAtIndex(ValueLayout.JAVA_LONG, i, value);
            }
        }
    }

    static String text(Buffer buffer) {
        return buffer.segment().getString(0);
    }

    static void assertRefused(FpgaException.Reason reason, ThrowingCallable call, String message) {
        assertThatExceptionOfType(FpgaException.class)
                .isThrownBy(call)
                .withMessageContaining(message)
                .extracting(FpgaException::reason)
                .isEqualTo(reason);
    }
}
