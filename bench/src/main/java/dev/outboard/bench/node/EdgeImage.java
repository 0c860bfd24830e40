package dev.outboard.bench.node;

import dev.outboard.fabric.Device;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.node.routine.RoutineCatalog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/// A picture of noise, what its edges are, and where a node returns them. One thread.
public final class EdgeImage {
    private final MemorySegment header;
    private final MemorySegment pixels;
    private final MemorySegment edges;
    private final MemorySegment expected;

    /// Makes one, in memory that is the arena's.
    ///
    /// @param channels 1 or 3
    public EdgeImage(Arena arena, int width, int height, int channels, SplittableRandom random) {
        header = arena.allocate(EdgeDetection.HEADER_BYTES);
        EdgeDetection.writeHeader(header, width, height, channels);
        long count = (long) width * height;
        pixels = arena.allocate(count * channels);
        byte[] noise = new byte[(int) pixels.byteSize()];
        random.nextBytes(noise);
        MemorySegment.copy(noise, 0, pixels, ValueLayout.JAVA_BYTE, 0, noise.length);
        edges = arena.allocate(count);
        expected = arena.allocate(count);
        EdgeDetection.detect(width, height, channels, pixels, expected);
    }

    /// A client that has its edges found.
    public NaaClient open(TargetNode node, Device device) {
        return node.client(device)
                .functionCode(RoutineCatalog.EDGE_DETECTION)
                .region(RegionSpec.input(header))
                .region(RegionSpec.input(pixels))
                .region(RegionSpec.output(edges))
                .open();
    }

    /// How many bytes of the last answer are wrong. Forgets the answer.
    public long wrongBytes() {
        long wrong = 0;
        if (edges.mismatch(expected) >= 0) {
            for (long i = 0; i < edges.byteSize(); i++) {
                boolean isRight =
                        edges.get(ValueLayout.JAVA_BYTE, i)
                                == expected.get(ValueLayout.JAVA_BYTE, i);
                wrong += isRight ? 0 : 1;
            }
        }
        edges.fill((byte) 0);
        return wrong;
    }

    /// The bytes of a call, there and back.
    public long bytes() {
        return header.byteSize() + pixels.byteSize() + edges.byteSize();
    }
}
