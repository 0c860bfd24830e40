package dev.outboard.ccip.host;

import static dev.outboard.ccip.host.HostPrograms.ENOUGH;
import static dev.outboard.ccip.host.HostPrograms.assertRefused;
import static dev.outboard.ccip.host.HostPrograms.copy;
import static dev.outboard.ccip.host.HostPrograms.open;
import static dev.outboard.ccip.host.HostPrograms.start;
import static dev.outboard.ccip.host.HostPrograms.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.ccip.afu.example.Hello;
import dev.outboard.ccip.afu.example.MemoryCopy;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.platform.Translation;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BufferTest {
    @ParameterizedTest
    @EnumSource(PageSize.class)
    @Requirement({"CCIP-HST-2", "CCIP-HST-3"})
    void anAfuCopiesBetweenBuffersInPagesOfEverySize(PageSize pageSize) {
        for (Translation translation : Translation.values()) {
            Simulation simulation =
                    Simulation.of(Profile.PAC_A10, new MemoryCopy())
                            .translation(translation)
                            .build();
            try (Fpga fpga = Fpga.open(simulation, MemoryCopy.AFU_ID)) {
                Buffer source = fpga.prepareBuffer(4096, pageSize);
                Buffer target = fpga.prepareBuffer(4096, pageSize);
                assertThat(source.ioAddress() % pageSize.bytes()).isZero();
                assertThat(source.lineAddress()).isEqualTo(source.ioAddress() >> 6);
                copy(fpga, source, target);
                assertThat(target.segment().mismatch(source.segment())).isEqualTo(-1);
            }
        }
    }

    @Test
    @Requirement("CCIP-HST-3")
    void pagesScatteredInTheHostAreContiguousForTheAfu() {
        Fpga fpga = open(Profile.PAC_A10, new MemoryCopy());
        MemorySegment memory = Arena.ofAuto().allocate(5 * 4096, 4096);
        Buffer source =
                fpga.prepareBuffer(
                        PageSize.KIB_4, memory.asSlice(4 * 4096, 4096), memory.asSlice(4096, 4096));
        Buffer target = fpga.prepareBuffer(8192);
        copy(fpga, source, target);
        assertThat(target.segment().asSlice(0, 4096).mismatch(source.segments().get(0)))
                .isEqualTo(-1);
        assertThat(target.segment().asSlice(4096).mismatch(source.segments().get(1))).isEqualTo(-1);
        assertThatThrownBy(source::segment).hasMessageContaining("2 pieces; use segments()");
    }

    @Test
    @Requirement("CCIP-HST-6")
    void releasingABufferWithRequestsInFlightIsDetected() {
        Simulation simulation =
                Simulation.of(Profile.PAC_A10, new MemoryCopy()).policy(ErrorPolicy.LOG).build();
        Fpga fpga = Fpga.open(simulation, MemoryCopy.AFU_ID);
        Buffer source = fpga.prepareBuffer(1 << 16);
        Buffer target = fpga.prepareBuffer(1 << 16);
        start(fpga, source, target);
        fpga.step(300);
        assertThat(simulation.checker().count(Violation.MEM_UNMAPPED)).isZero();
        long inFlight = source.lineAddress();
        source.close();
        fpga.step(200);
        assertThat(simulation.checker().reports())
                .anyMatch(report ->
                        report.violation() == Violation.MEM_UNMAPPED
                                && report.address() >= inFlight
                                && report.detail().contains("in flight"));
        assertThatThrownBy(() -> source.segment().get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
        source.close();
    }

    @Test
    @Requirement("CCIP-HST-3")
    void aPageThatMayNotBeWrittenStaysAsItIs() {
        Simulation simulation =
                Simulation.of(Profile.PAC_A10, new Hello()).policy(ErrorPolicy.LOG).build();
        Fpga fpga = Fpga.open(simulation, Hello.AFU_ID);
        Buffer buffer = fpga.prepareBuffer(8192);
        buffer.protect(4096, 4096, Access.READ_ONLY);
        fpga.writeMmio64(Hello.BUFFER, buffer.lineAddress() + 64);
        fpga.step(1000);
        assertThat(simulation.checker().count(Violation.MEM_NO_PERMISSION)).isEqualTo(1);
        assertThat(buffer.segment().get(ValueLayout.JAVA_BYTE, 4096)).isZero();
        fpga.writeMmio64(Hello.BUFFER, buffer.lineAddress());
        fpga.waitUntil(() -> text(buffer).equals("Hello world!"), ENOUGH);
    }

    @Test
    void buffersThatCannotBeHadAreRefused() {
        Fpga fpga = open(Profile.PAC_A10, new Hello());
        assertRefused(FpgaException.Reason.BAD_BUFFER, () -> fpga.prepareBuffer(0), "0 bytes");
        assertRefused(
                FpgaException.Reason.BAD_BUFFER,
                () -> fpga.prepareBuffer(PageSize.KIB_4, MemorySegment.ofArray(new long[512])),
                "heap");
        for (long bytes : new long[] {1L << 36, 1L << 40, Long.MAX_VALUE}) {
            assertRefused(
                    FpgaException.Reason.BAD_BUFFER,
                    () -> fpga.prepareBuffer(bytes),
                    "A buffer of " + bytes + " bytes");
        }
        Buffer buffer = fpga.prepareBuffer(100);
        assertThat(buffer.bytes()).isEqualTo(100);
        assertRefused(
                FpgaException.Reason.INVALID_ARGUMENT,
                () -> buffer.protect(50, 60, Access.READ_ONLY),
                "Bytes 50 to 110 of a buffer of 100");
    }
}
