package dev.outboard.ccip.afu.example;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.BurstReader;
import dev.outboard.ccip.afu.BurstWriter;
import dev.outboard.ccip.afu.CallRegisters;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import java.util.List;
import java.util.UUID;

/// Finds the edges of an image as it streams through, a line a cycle. It is called by
/// [CallRegisters], with three regions: three little-endian integers of 32 bits (width, height,
/// channels: 1 or 3), the pixels in rows from the top, and the edges, a byte per pixel.
public final class EdgeDetector implements Afu {
    /// Which AFU this is.
    public static final UUID AFU_ID = UUID.fromString("5e0a4c3f-6a3b-4d0e-9c56-2f7f6a0c9b11");

    /// The same function in SystemVerilog, which gives the same bytes and codes: resources beside
    /// this class, for `RtlBuild.resources`.
    public static final List<String> SYSTEM_VERILOG =
            List.of(
                    "edge_detector.json",
                    "edge_detector.sv",
                    "line_reader.sv",
                    "pixel_rows.sv",
                    "sobel_rows.sv",
                    "edge_lines.sv",
                    "line_writer.sv");

    /// Return code: width and height are 1 to 65536, channels 1 or 3.
    public static final int BAD_DIMENSIONS = 0x23;

    /// Return code: the second region has width × height × channels bytes, the third width ×
    /// height.
    public static final int BAD_SIZE = 0x24;

    private static final int HEADER = 0;
    private static final int PIXELS = 1;
    private static final int EDGES = 2;
    private static final int BUFFER_LINES = 512;
    private static final int HEADER_LINES = 4;

    private final CallRegisters call = new CallRegisters(AFU_ID);
    private final BurstReader pixels = new BurstReader(0, BUFFER_LINES);
    private final BurstReader header = new BurstReader(BUFFER_LINES, HEADER_LINES);
    private final BurstWriter edges = new BurstWriter(0);
    private final EdgeStream stream = new EdgeStream();
    private final long[] line = new long[Line.LONGS];
    private boolean streams;
    private long quietCycles;

    /// An AFU without a call.
    public EdgeDetector() {}

    @Override
    public void clock(Rx rx, Tx tx) {
        boolean starts = call.clock(rx, tx);
        if (rx.softReset) {
            pixels.reset();
            header.reset();
            edges.reset();
            stream.reset();
            streams = false;
            quietCycles = Long.MAX_VALUE;
            return;
        }
        pixels.accept(rx);
        header.accept(rx);
        edges.accept(rx);
        if (starts) {
            begin();
        }
        if (streams) {
            stream(rx, tx);
        } else if (call.job().running()) {
            readHeader(rx, tx);
        }
        quietCycles = isBusy() ? 0 : call.job().quietCycles(rx, tx);
    }

    @Override
    public long quietCycles() {
        return quietCycles;
    }

    private void begin() {
        if (call.regions() == EDGES + 1) {
            header.start(call.lineAddress(HEADER), 1);
        } else {
            call.job().end(BAD_SIZE);
        }
    }

    private void readHeader(Rx rx, Tx tx) {
        if (!header.available()) {
            header.request(rx, tx);
            return;
        }
        header.take(line);
        int width = (int) line[0];
        int height = (int) (line[0] >>> Integer.SIZE);
        int channels = (int) line[1];
        long count = (long) width * height;
        if (!isSide(width) || !isSide(height) || (channels != 1 && channels != 3)) {
            call.job().end(BAD_DIMENSIONS);
        } else if (call.bytes(PIXELS) != count * channels || call.bytes(EDGES) != count) {
            call.job().end(BAD_SIZE);
        } else {
            stream.begin(width, height, channels);
            pixels.start(call.lineAddress(PIXELS), call.lines(PIXELS));
            edges.start(call.lineAddress(EDGES), call.lines(EDGES));
            streams = true;
        }
    }

    private static boolean isSide(int count) {
        return count > 0 && count <= EdgeStream.MOST_SIDE;
    }

    private void stream(Rx rx, Tx tx) {
        pixels.request(rx, tx);
        if (stream.has() && edges.ready(rx)) {
            stream.give(tx.c1.data);
            edges.write(tx);
        }
        if (stream.canFlush()) {
            stream.flush();
        } else if (stream.wants() && pixels.available()) {
            pixels.take(line);
            stream.take(line);
        }
        if (stream.isDone() && edges.done()) {
            streams = false;
            call.job().end(0);
        }
    }

    /// Whether it does something in the next cycle, whatever comes.
    private boolean isBusy() {
        return streams
                && (stream.has()
                        || stream.canFlush()
                        || (stream.wants() && pixels.available())
                        || (stream.isDone() && edges.done()));
    }
}
