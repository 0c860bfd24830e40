package dev.outboard.node.routine;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RpcContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Edges of an 8-bit image by the Sobel operator: |Gx| + |Gy| of the luminance, at most 255, one
/// byte per pixel. Pixels beyond the border count as equal to the nearest one inside.
///
/// All arithmetic is on integers, so every machine computes the same bytes. Public so that a client
/// can compare what a node returned.
public final class EdgeDetection {
    /// Images are at most this wide and high.
    public static final int MAX_SIDE = 1 << 16;

    /// Bytes of the first region.
    public static final int HEADER_BYTES = 12;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    // Luminance as in ITU-R BT.601, in 256ths.
    private static final int RED = 77;
    private static final int GREEN = 150;
    private static final int BLUE = 29;

    private final int width;
    private final int height;
    private final int channels;
    private final MemorySegment pixels;
    private final byte[] pixelRow;
    private final byte[] edgeRow;
    private int[] above;
    private int[] here;
    private int[] below;

    private EdgeDetection(int width, int height, int channels, MemorySegment pixels) {
        this.width = width;
        this.height = height;
        this.channels = channels;
        this.pixels = pixels;
        pixelRow = new byte[width * channels];
        edgeRow = new byte[width];
        above = new int[width + 2];
        here = new int[width + 2];
        below = new int[width + 2];
    }

    /// What the first region says.
    ///
    /// @param channels 1 for gray, 3 for red, green and blue
    public record Image(int width, int height, int channels) {}

    /// What the regions header, pixels and edges are about.
    ///
    /// @throws RoutineException if they do not fit each other
    public static Image imageOf(RpcContext context) throws RoutineException {
        MemorySegment header = context.parameter(0).memory();
        int width = header.get(INT, 0);
        int height = header.get(INT, 4);
        int channels = header.get(INT, 8);
        RoutineError.IMAGE_DIMENSIONS.unless(
                isSide(width) && isSide(height) && (channels == 1 || channels == 3));
        long count = (long) width * height;
        RoutineError.IMAGE_SIZE.unless(
                context.parameter(1).size() == count * channels
                        && context.parameter(2).size() == count);
        return new Image(width, height, channels);
    }

    /// Regions header, pixels and edges.
    static int run(RpcContext context) throws RoutineException {
        Image image = imageOf(context);
        MemorySegment pixels = context.parameter(1).memory();
        MemorySegment edges = context.parameter(2).memory();
        EdgeDetection detection =
                new EdgeDetection(image.width, image.height, image.channels, pixels);
        for (int y = 0; y < image.height; y++) {
            context.throwIfCancelled();
            detection.detectRow(y, edges);
        }
        return ReturnCode.SUCCESS;
    }

    /// Writes what the routine expects in its first region.
    public static void writeHeader(MemorySegment header, int width, int height, int channels) {
        header.set(INT, 0, width);
        header.set(INT, 4, height);
        header.set(INT, 8, channels);
    }

    private static boolean isSide(int pixels) {
        return pixels > 0 && pixels <= MAX_SIDE;
    }

    /// Detects edges.
    ///
    /// @param channels 1 for gray, 3 for red, green and blue
    /// @param pixels rows from top to bottom, width × height × channels bytes
    /// @param edges takes width × height bytes
    public static void detect(
            int width, int height, int channels, MemorySegment pixels, MemorySegment edges) {
        EdgeDetection detection = new EdgeDetection(width, height, channels, pixels);
        for (int y = 0; y < height; y++) {
            detection.detectRow(y, edges);
        }
    }

    /// Row after row, from the top.
    private void detectRow(int y, MemorySegment edges) {
        if (y == 0) {
            loadLuminance(0, above);
            loadLuminance(0, here);
        }
        loadLuminance(Math.min(y + 1, height - 1), below);
        gradient(above, here, below, edgeRow);
        MemorySegment.copy(edgeRow, 0, edges, ValueLayout.JAVA_BYTE, (long) y * width, width);
        int[] free = above;
        above = here;
        here = below;
        below = free;
    }

    /// Row `y` with one more pixel on either side.
    private void loadLuminance(int y, int[] row) {
        long at = (long) y * pixelRow.length;
        MemorySegment.copy(pixels, ValueLayout.JAVA_BYTE, at, pixelRow, 0, pixelRow.length);
        if (channels == 1) {
            for (int x = 0; x < width; x++) {
                row[x + 1] = pixelRow[x] & 0xff;
            }
        } else {
            for (int x = 0, i = 0; x < width; x++, i += 3) {
                int weighted =
                        RED * (pixelRow[i] & 0xff)
                                + GREEN * (pixelRow[i + 1] & 0xff)
                                + BLUE * (pixelRow[i + 2] & 0xff);
                row[x + 1] = (weighted + 128) >> 8;
            }
        }
        row[0] = row[1];
        row[width + 1] = row[width];
    }

    private static void gradient(int[] above, int[] here, int[] below, byte[] edges) {
        for (int x = 0; x < edges.length; x++) {
            int left = above[x] + 2 * here[x] + below[x];
            int right = above[x + 2] + 2 * here[x + 2] + below[x + 2];
            int top = above[x] + 2 * above[x + 1] + above[x + 2];
            int bottom = below[x] + 2 * below[x + 1] + below[x + 2];
            edges[x] = (byte) Math.min(255, Math.abs(right - left) + Math.abs(bottom - top));
        }
    }
}
