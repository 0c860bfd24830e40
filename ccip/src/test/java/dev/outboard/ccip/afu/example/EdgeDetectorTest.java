package dev.outboard.ccip.afu.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.ccip.afu.Job;
import dev.outboard.ccip.host.Buffer;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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
        {1000, 2, 1}
    };

    /// Calls one after the other: nothing of one is left for the next.
    @ParameterizedTest
    @EnumSource(Mode.class)
    void findsTheEdgesOfEachImage(Mode mode) {
        try (Rig rig = rig(mode)) {
            for (int[] image : IMAGES) {
                int width = image[0];
                int height = image[1];
                int channels = image[2];
                byte[] pixels = new byte[width * height * channels];
                new SplittableRandom(width).nextBytes(pixels);
                Buffer edges = buffer(rig, new byte[width * height]);
                long code =
                        call(rig, header(rig, width, height, channels), buffer(rig, pixels), edges);
                assertThat(code).isZero();
                assertThat(edges.segment().toArray(ValueLayout.JAVA_BYTE))
                        .as("%d x %d x %d", width, height, channels)
                        .isEqualTo(expected(width, height, channels, pixels));
            }
        }
    }

    /// @param pixels, edges how many bytes the regions have
    @ParameterizedTest
    @CsvSource({
        "0, 4, 1, 16, 16, 0x23",
        "4, 65537, 1, 16, 16, 0x23",
        "4, -4, 1, 16, 16, 0x23",
        "4, 4, 2, 32, 16, 0x23",
        "4, 4, 1, 17, 16, 0x24",
        "4, 4, 3, 48, 15, 0x24"
    })
    void whatIsNoImageHasACode(
            int width, int height, int channels, int pixels, int edges, int expected) {
        try (Rig rig = rig(Mode.TIMED)) {
            long code =
                    call(
                            rig,
                            header(rig, width, height, channels),
                            buffer(rig, new byte[pixels]),
                            buffer(rig, new byte[edges]));
            assertThat(code).isEqualTo(expected);
        }
    }

    @Test
    void aCallWithOtherRegionsHasACode() {
        try (Rig rig = rig(Mode.TIMED)) {
            assertThat(call(rig, buffer(rig, new byte[12]))).isEqualTo(0x24);
        }
    }

    private static Rig rig(Mode mode) {
        return new Rig(Profile.PAC_A10, mode, 5, new EdgeDetector(), EdgeDetector.AFU_ID);
    }

    private static Buffer header(Rig rig, int width, int height, int channels) {
        Buffer buffer = rig.fpga.prepareBuffer(12);
        buffer.segment().set(ValueLayout.JAVA_INT, 0, width);
        buffer.segment().set(ValueLayout.JAVA_INT, 4, height);
        buffer.segment().set(ValueLayout.JAVA_INT, 8, channels);
        return buffer;
    }

    private static Buffer buffer(Rig rig, byte[] content) {
        Buffer buffer = rig.fpga.prepareBuffer(content.length);
        buffer.segment().copyFrom(MemorySegment.ofArray(content));
        return buffer;
    }

    /// @return the return code
    private static long call(Rig rig, Buffer... regions) {
        rig.write(CallRegisters.REGIONS, regions.length);
        for (int i = 0; i < regions.length; i++) {
            rig.write(CallRegisters.address(i), regions[i].lineAddress());
            rig.write(CallRegisters.length(i), regions[i].segment().byteSize());
        }
        rig.write(CallRegisters.CONTROL, Job.START);
        long status = 0;
        for (int i = 0; (status & Job.DONE) == 0; i++) {
            assertThat(i).as("looks at the status").isLessThan(20_000);
            rig.fpga.step(50);
            status = rig.read(CallRegisters.STATUS);
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
