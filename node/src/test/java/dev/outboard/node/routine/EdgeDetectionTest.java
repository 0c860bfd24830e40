package dev.outboard.node.routine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.ReturnCode;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EdgeDetectionTest {
    @Test
    void findsEdgesAsByHand() throws Exception {
        MemorySegment pixels = Rpc.bytes(0, 0, 10, 0, 20, 0, 5, 0, 0);
        MemorySegment edges = Rpc.zeros(9);

        assertThat(detect(3, 3, 1, pixels, edges)).isEqualTo(ReturnCode.SUCCESS);

        // In the middle: Gx = (10 + 0 + 0) - (0 + 0 + 5) = 5, Gy = (5 + 0 + 0) - (0 + 0 + 10) = -5.
        // Top left: rows (0 0 0) (0 0 0) (0 0 20): Gx = 20, Gy = 20.
        assertThat(Rpc.toBytes(edges)[4]).isEqualTo(10);
        assertThat(Rpc.toBytes(edges)[0]).isEqualTo(40);
    }

    @Test
    void isBrightestAtAStepAndBlackOnPlainGround() throws Exception {
        MemorySegment edges = Rpc.zeros(12);

        detect(6, 2, 1, Rpc.bytes(7, 7, 7, 207, 207, 207, 7, 7, 7, 207, 207, 207), edges);

        assertThat(Rpc.toBytes(edges)).containsExactly(0, 0, 255, 255, 0, 0, 0, 0, 255, 255, 0, 0);
    }

    @Test
    void weighsRedGreenAndBlue() throws Exception {
        int[] red = edgesNextTo(255, 0, 0);
        int[] green = edgesNextTo(0, 255, 0);
        int[] blue = edgesNextTo(0, 0, 20);

        // Luminance steps of (77 * 255 + 128) / 256 = 77, 149 and 2, four times.
        assertThat(red).containsOnly(255);
        assertThat(green).containsOnly(255);
        assertThat(blue).containsOnly(8);
    }

    @Test
    void agreesWithTheDefinitionEverywhere() throws Exception {
        int width = 37;
        int height = 23;
        SplittableRandom random = new SplittableRandom(1);
        int[] pixels = random.ints((long) width * height, 0, 60).toArray();
        MemorySegment edges = Rpc.zeros((long) width * height);

        detect(width, height, 1, Rpc.bytes(pixels), edges);

        int[] result = Rpc.toBytes(edges);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                assertThat(result[y * width + x]).isEqualTo(sobel(pixels, width, height, x, y));
            }
        }
    }

    @Test
    void handlesASinglePixel() throws Exception {
        MemorySegment edges = Rpc.bytes(99);

        assertThat(detect(1, 1, 3, Rpc.bytes(1, 2, 3), edges)).isEqualTo(ReturnCode.SUCCESS);

        assertThat(Rpc.toBytes(edges)).containsExactly(0);
    }

    @Test
    void refusesWrongArguments() throws Exception {
        MemorySegment one = Rpc.zeros(1);

        assertThat(Rpc.call(RoutineCatalog.EDGE_DETECTION, Rpc.zeros(11), one, one))
                .isEqualTo(ReturnCode.WRONG_ARGUMENTS);
        for (int[] d :
                new int[][] {
                    {0, 1, 1}, {1, 0, 1}, {-1, 1, 1}, {1, 65_537, 1}, {65_537, 1, 1}, {1, 1, 2}
                }) {
            assertThat(detect(d[0], d[1], d[2], one, one))
                    .isEqualTo(RoutineError.IMAGE_DIMENSIONS.code());
        }
        assertThat(detect(1, 1, 3, one, one)).isEqualTo(RoutineError.IMAGE_SIZE.code());
        assertThat(detect(1, 1, 1, one, Rpc.zeros(2))).isEqualTo(RoutineError.IMAGE_SIZE.code());
        assertThat(detect(65_536, 65_536, 3, one, one)).isEqualTo(RoutineError.IMAGE_SIZE.code());
    }

    private static int[] edgesNextTo(int red, int green, int blue) throws Exception {
        MemorySegment edges = Rpc.zeros(2);
        detect(2, 1, 3, Rpc.bytes(0, 0, 0, red, green, blue), edges);
        return Rpc.toBytes(edges);
    }

    private static int sobel(int[] pixels, int width, int height, int x, int y) {
        int[][] kernel = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
        int gx = 0;
        int gy = 0;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                int px = Math.clamp(x + dx, 0, width - 1);
                int py = Math.clamp(y + dy, 0, height - 1);
                gx += kernel[dy + 1][dx + 1] * pixels[py * width + px];
                gy += kernel[dx + 1][dy + 1] * pixels[py * width + px];
            }
        }
        return Math.min(255, Math.abs(gx) + Math.abs(gy));
    }

    private static int detect(
            int width, int height, int channels, MemorySegment pixels, MemorySegment edges)
            throws Exception {
        MemorySegment header = Rpc.zeros(EdgeDetection.HEADER_BYTES);
        EdgeDetection.writeHeader(header, width, height, channels);
        return Rpc.call(RoutineCatalog.EDGE_DETECTION, header, pixels, edges);
    }
}
