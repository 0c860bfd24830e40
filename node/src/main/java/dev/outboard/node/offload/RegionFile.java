package dev.outboard.node.offload;

import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.node.offload.RoutinePipe.Place;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// Copies of the regions of a call in a file in memory, which another process maps, too. It becomes
/// as long as the call that needs most, and stays so. One thread at a time.
final class RegionFile implements AutoCloseable {
    private static final Path IN_MEMORY = Path.of("/dev/shm");
    private static final int STEP = 1 << 20;
    private static final int ALIGNMENT = 4096;

    private final Path path;
    private final FileChannel file;
    private Arena arena = Arena.ofShared();
    private MemorySegment memory = MemorySegment.NULL;

    private RegionFile(Path path, FileChannel file) {
        this.path = path;
        this.file = file;
    }

    /// An empty one.
    static RegionFile create() throws IOException {
        String prefix = "outboard-";
        Path path =
                Files.isWritable(IN_MEMORY)
                        ? Files.createTempFile(IN_MEMORY, prefix, null)
                        : Files.createTempFile(prefix, null);
        return new RegionFile(
                path, FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    Path path() {
        return path;
    }

    long bytes() {
        return memory.byteSize();
    }

    /// Takes its name away: whoever has opened it keeps it, and it goes with them.
    void unlink() throws IOException {
        Files.deleteIfExists(path);
    }

    /// Copies regions into it. Those that share bytes do so there, too.
    ///
    /// @return where they are, in their order
    /// @throws IOException if there is no room
    List<Place> put(List<RoutineRegion> regions) throws IOException {
        long[] offsets = new long[regions.size()];
        long end = layOut(regions, offsets);
        grow(end);
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < offsets.length; i++) {
            RoutineRegion region = regions.get(i);
            MemorySegment.copy(region.memory(), 0, memory, offsets[i], region.size());
            places.add(new Place(region.flags(), region.naaAddress(), offsets[i], region.size()));
        }
        return places;
    }

    /// Copies them back.
    void get(List<RoutineRegion> regions, List<Place> places) {
        for (int i = 0; i < places.size(); i++) {
            Place place = places.get(i);
            MemorySegment.copy(memory, place.offset(), regions.get(i).memory(), 0, place.size());
        }
    }

    /// @param offsets are set
    /// @return how many bytes there have to be
    private static long layOut(List<RoutineRegion> regions, long[] offsets) {
        List<Integer> ascending =
                Stream.iterate(0, i -> i < offsets.length, i -> i + 1)
                        .sorted(Comparator.comparingLong(i -> regions.get(i).memory().address()))
                        .toList();
        long shift = 0;
        long last = 0;
        long end = 0;
        for (int index : ascending) {
            MemorySegment region = regions.get(index).memory();
            if (end == 0 || region.address() >= last) {
                end = Math.ceilDiv(end, ALIGNMENT) * (long) ALIGNMENT;
                shift = end - region.address();
            }
            offsets[index] = region.address() + shift;
            last = Math.max(last, region.address() + region.byteSize());
            end = Math.max(end, offsets[index] + region.byteSize());
        }
        return end;
    }

    /// What is written has its memory: a file that only claims to be longer would end the process
    /// that finds none.
    private void grow(long bytes) throws IOException {
        if (bytes <= memory.byteSize()) {
            return;
        }
        long to = Math.ceilDiv(bytes, STEP) * STEP;
        for (long at = file.size(); at < to; at += STEP) {
            ByteBuffer zeros = ByteBuffer.allocate(STEP);
            while (zeros.hasRemaining()) {
                file.write(zeros, at + zeros.position());
            }
        }
        Arena next = Arena.ofShared();
        memory = file.map(MapMode.READ_WRITE, 0, to, next);
        arena.close();
        arena = next;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
        try {
            unlink();
            file.close();
        } catch (IOException _) {
            // Nobody uses it any more.
        }
    }
}
