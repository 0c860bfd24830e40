package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.ccip.afu.Job;
import dev.outboard.ccip.checker.Severity;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.ccip.rtl.RtlCheck;
import dev.outboard.ccip.rtl.RtlDesign;
import dev.outboard.ccip.rtl.VerilatedAfu;
import dev.outboard.ccip.rtl.Verilator;
import dev.outboard.ccip.wire.VirtualChannel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class EdgeDetectorTest {
    private static final int[][] IMAGES = {
        {1, 1, 1},
        {1, 1, 3},
        {1, 200, 1},
        {2, 3, 3},
        {7, 1, 1},
        {64, 64, 1},
        {65, 3, 3},
        {3, 100, 1},
        {200, 33, 3},
        {1000, 2, 1},
        {63, 5, 1},
        {127, 9, 3},
        {128, 4, 3},
        {129, 3, 1},
        {191, 2, 3},
        {640, 7, 3},
        {4099, 3, 3},
        {65536, 2, 1}
    };

    /// In which language.
    enum Written {
        IN_JAVA,
        IN_SYSTEM_VERILOG
    }

    static Stream<Arguments> languagesAndModes() {
        return Stream.of(Written.values())
                .flatMap(written ->
                        Stream.of(Mode.values()).map(mode -> Arguments.of(written, mode)));
    }

    /// Calls one after the other: nothing of one is left for the next.
    @ParameterizedTest
    @MethodSource("languagesAndModes")
    void findsTheEdgesOfEachImage(Written written, Mode mode) {
        try (Rig rig = rig(written, mode)) {
            for (int[] image : IMAGES) {
                int width = image[0];
                int height = image[1];
                int channels = image[2];
                byte[] pixels = new byte[width * height * channels];
                new SplittableRandom(width).nextBytes(pixels);
                Buffer edges = buffer(rig.fpga, new byte[width * height]);
                long code =
                        call(
                                rig.fpga,
                                header(rig.fpga, width, height, channels),
                                buffer(rig.fpga, pixels),
                                edges);
                assertThat(code).isZero();
                assertThat(edges.segment().toArray(ValueLayout.JAVA_BYTE))
                        .as("%d x %d x %d", width, height, channels)
                        .isEqualTo(expected(width, height, channels, pixels));
            }
        }
    }

    /// Width, height, channels, bytes of the second and the third region, and the code.
    private static final int[][] NO_IMAGES = {
        {0, 4, 1, 16, 16, 0x23},
        {4, 65537, 1, 16, 16, 0x23},
        {4, -4, 1, 16, 16, 0x23},
        {4, 4, 2, 32, 16, 0x23},
        {4, 4, 3 << 8, 48, 16, 0x23},
        {4, 4, 1, 17, 16, 0x24},
        {4, 4, 3, 16, 16, 0x24},
        {4, 4, 3, 48, 15, 0x24},
        {65536, 65536, 3, 48, 16, 0x24}
    };

    @ParameterizedTest
    @EnumSource
    void whatIsNoImageHasACode(Written written) {
        try (Rig rig = rig(written, Mode.TIMED)) {
            for (int[] image : NO_IMAGES) {
                Buffer header = header(rig.fpga, image[0], image[1], image[2]);
                Buffer pixels = buffer(rig.fpga, new byte[image[3]]);
                Buffer edges = buffer(rig.fpga, new byte[image[4]]);
                assertThat(call(rig.fpga, header, pixels, edges))
                        .as(Arrays.toString(image))
                        .isEqualTo(image[5]);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCallWithOtherRegionsHasACode(Written written) {
        try (Rig rig = rig(written, Mode.TIMED)) {
            assertThat(call(rig.fpga, buffer(rig.fpga, new byte[12]))).isEqualTo(0x24);
            Buffer header = header(rig.fpga, 1, 1, 1);
            assertThat(call(rig.fpga, header, header, header, header)).isEqualTo(0x24);
        }
    }

    /// The interrupt comes after the results, once for a call that asks for it.
    @ParameterizedTest
    @MethodSource("languagesAndModes")
    void interruptsIfItIsAskedTo(Written written, Mode mode) {
        try (Rig rig = rig(written, mode)) {
            assertThat(rig.read(CallRegisters.OFFERS)).isEqualTo(Job.INTERRUPT);
            rig.fpga.registerInterrupt(Job.INTERRUPT_ID);
            byte[] white = new byte[100];
            Arrays.fill(white, (byte) 0xFF);
            for (int i = 0; i < 20; i++) {
                Buffer edges = buffer(rig.fpga, white);
                place(rig.fpga, header(rig.fpga, 10, 10, 1), buffer(rig.fpga, white), edges);
                rig.write(CallRegisters.CONTROL, Job.START | Job.INTERRUPT);
                assertThat(rig.fpga.waitForInterrupt(Job.INTERRUPT_ID, Rig.LIMIT)).isOne();
                assertThat(edges.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
                assertThat(rig.read(CallRegisters.STATUS)).isEqualTo(Job.DONE);
            }
            assertThat(call(rig.fpga)).isEqualTo(0x24);
            rig.settle();
            assertThat(rig.fpga.takeInterrupts(Job.INTERRUPT_ID)).isZero();
        }
    }

    /// What a register holds that was not set, and what is on wires that are not valid, changes
    /// nothing.
    @Test
    void nothingDependsOnWhatWasNeverSet() {
        try (VerilatedAfu afu = verilated()) {
            Simulation simulation = Simulation.of(Profile.PAC_A10, afu).build();
            try (RtlCheck check = new RtlCheck(afu, simulation.checker());
                    Fpga fpga = Fpga.open(simulation, EdgeDetector.AFU_ID)) {
                simulation.monitor(check);
                for (int channels : new int[] {1, 3}) {
                    Buffer pixels = buffer(fpga, new byte[100 * 7 * channels]);
                    Buffer edges = buffer(fpga, new byte[100 * 7]);
                    assertThat(call(fpga, header(fpga, 100, 7, channels), pixels, edges)).isZero();
                }
                assertThat(simulation.checker().reports())
                        .filteredOn(report -> report.severity().compareTo(Severity.WARNING) >= 0)
                        .isEmpty();
            }
        }
    }

    /// A line of pixels a cycle, on a link that is no slower: 1000 cycles are for the latency at
    /// both ends and what the reads of the status take.
    @ParameterizedTest
    @EnumSource
    void streamsALinePerCycle(Written written) {
        LinkParameters free = new LinkParameters(140, 180, 0, 0, 512);
        Profile fast = Profile.PAC_A10.withLink(VirtualChannel.VH0, free);
        int[][] images = {{1024, 512, 1}, {1024, 256, 3}, {1000, 256, 3}};
        try (Rig rig = new Rig(fast, Mode.TIMED, 5, afu(written), EdgeDetector.AFU_ID)) {
            for (int[] image : images) {
                int pixels = image[0] * image[1];
                Buffer header = header(rig.fpga, image[0], image[1], image[2]);
                Buffer from = buffer(rig.fpga, new byte[pixels * image[2]]);
                Buffer to = buffer(rig.fpga, new byte[pixels]);
                long began = rig.simulation.cycle();
                assertThat(call(rig.fpga, header, from, to)).isZero();
                long lines = (long) pixels * image[2] / 64;
                assertThat(rig.simulation.cycle() - began)
                        .as(Arrays.toString(image))
                        .isBetween(lines, lines + 1000);
            }
        }
    }

    private static VerilatedAfu verilated() {
        RtlBuild build = Verilator.build();
        RtlDesign design = build.resources(EdgeDetector.class, EdgeDetector.SYSTEM_VERILOG);
        return build.compile(design).open(Profile.PAC_A10, 1);
    }

    private static Rig rig(Written written, Mode mode) {
        return new Rig(Profile.PAC_A10, mode, 5, afu(written), EdgeDetector.AFU_ID);
    }

    private static Afu afu(Written written) {
        return written == Written.IN_JAVA ? new EdgeDetector() : verilated();
    }

    private static Buffer header(Fpga fpga, int width, int height, int channels) {
        Buffer buffer = fpga.prepareBuffer(12);
        buffer.segment().set(ValueLayout.JAVA_INT, 0, width);
        buffer.segment().set(ValueLayout.JAVA_INT, 4, height);
        buffer.segment().set(ValueLayout.JAVA_INT, 8, channels);
        return buffer;
    }

    private static Buffer buffer(Fpga fpga, byte[] content) {
        Buffer buffer = fpga.prepareBuffer(content.length);
        buffer.segment().copyFrom(MemorySegment.ofArray(content));
        return buffer;
    }

    private static void place(Fpga fpga, Buffer... regions) {
        fpga.writeMmio64(CallRegisters.REGIONS, regions.length);
        for (int i = 0; i < regions.length; i++) {
            fpga.writeMmio64(CallRegisters.address(i), regions[i].lineAddress());
            fpga.writeMmio64(CallRegisters.length(i), regions[i].segment().byteSize());
        }
    }

    /// @return the return code
    private static long call(Fpga fpga, Buffer... regions) {
        place(fpga, regions);
        fpga.writeMmio64(CallRegisters.CONTROL, Job.START);
        long status = 0;
        for (int i = 0; (status & Job.DONE) == 0; i++) {
            assertThat(i).as("looks at the status").isLessThan(20_000);
            fpga.step(50);
            status = fpga.readMmio64(CallRegisters.STATUS);
        }
        return status >>> Job.CODE_SHIFT;
    }

    private static byte[] expected(int width, int height, int channels, byte[] pixels) {
        int[][] image = new int[height][width];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int at = (y * width + x) * channels;
                image[y][x] =
                        channels == 1
                                ? pixels[at] & 0xFF
                                : (77 * (pixels[at] & 0xFF)
                                                + 150 * (pixels[at + 1] & 0xFF)
                                                + 29 * (pixels[at + 2] & 0xFF)
                                                + 128)
                                        / 256;
            }
        }
        byte[] edges = new byte[width * height];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                edges[y * width + x] = (byte) sobel(image, x, y);
            }
        }
        return edges;
    }

    private static int sobel(int[][] image, int x, int y) {
        int[] weights = {1, 2, 1};
        int horizontal = 0;
        int vertical = 0;
        for (int i = -1; i <= 1; i++) {
            horizontal += weights[i + 1] * (at(image, x + 1, y + i) - at(image, x - 1, y + i));
            vertical += weights[i + 1] * (at(image, x + i, y + 1) - at(image, x + i, y - 1));
        }
        return Math.min(255, Math.abs(horizontal) + Math.abs(vertical));
    }

    private static int at(int[][] image, int x, int y) {
        int row = Math.clamp(y, 0, image.length - 1);
        return image[row][Math.clamp(x, 0, image[row].length - 1)];
    }
}
