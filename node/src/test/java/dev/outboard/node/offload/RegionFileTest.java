package dev.outboard.node.offload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.node.offload.RoutinePipe.Place;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Regions as another process gets them, and as they come back.
class RegionFileTest {
    private final Arena arena = Arena.ofShared();
    private RegionFile file;
    private FileChannel other;

    @BeforeEach
    void open() throws IOException {
        file = RegionFile.create();
        other = FileChannel.open(file.path(), StandardOpenOption.READ, StandardOpenOption.WRITE);
        file.unlink();
    }

    @AfterEach
    void close() throws IOException {
        other.close();
        file.close();
        arena.close();
    }

    @Test
    void theOtherOneSeesWhatIsPutAndItsChangesComeBack() throws IOException {
        List<RoutineRegion> regions = List.of(region(5000, 1), region(0, 2), region(70, 3));

        List<Place> places = file.put(regions);
        MemorySegment seen = seen();
        assertThat(byteAt(seen, places.get(0), 4999)).isEqualTo(1);
        assertThat(byteAt(seen, places.get(2), 0)).isEqualTo(3);
        seen.asSlice(places.get(2).offset(), 70).fill((byte) 9);
        file.get(regions, places);

        assertThat(regions.get(0).memory().get(ValueLayout.JAVA_BYTE, 4999)).isEqualTo((byte) 1);
        assertThat(regions.get(2).memory().get(ValueLayout.JAVA_BYTE, 69)).isEqualTo((byte) 9);
        assertThat(file.path()).doesNotExist();
    }

    @Test
    void regionsThatShareBytesShareThemThereToo() throws IOException {
        MemorySegment memory = arena.allocate(300);
        List<RoutineRegion> regions =
                List.of(
                        new RoutineRegion(0, 0, 200, memory.asSlice(200, 100)),
                        region(10, 1),
                        new RoutineRegion(1, 0, 0, memory.asSlice(0, 250)),
                        new RoutineRegion(2, 0, 10, memory.asSlice(10, 5)));

        List<Place> places = file.put(regions);

        assertThat(places.get(0).offset() - places.get(2).offset()).isEqualTo(200);
        assertThat(places.get(3).offset() - places.get(2).offset()).isEqualTo(10);
        seen().set(ValueLayout.JAVA_BYTE, places.get(0).offset() + 7, (byte) 5);
        file.get(regions, places);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 207)).isEqualTo((byte) 5);
        assertThat(regions.get(1).memory().get(ValueLayout.JAVA_BYTE, 9)).isEqualTo((byte) 1);
    }

    @Test
    void itBecomesAsLongAsItHasToAndStaysSo() throws IOException {
        file.put(List.of(region(10, 1)));
        long first = file.bytes();
        List<RoutineRegion> large = List.of(region(3 << 20, 4));
        List<Place> places = file.put(large);
        long second = file.bytes();
        assertThat(second).isGreaterThan(first);
        assertThat(byteAt(seen(), places.getFirst(), (3 << 20) - 1)).isEqualTo(4);
        file.put(List.of(region(10, 1)));
        assertThat(file.bytes()).isEqualTo(second).isEqualTo(other.size());
    }

    @Test
    void leavesNoFile() throws IOException {
        RegionFile unused = RegionFile.create();
        assertThat(unused.path()).exists();
        unused.close();
        unused.close();
        assertThat(Files.exists(unused.path())).isFalse();
    }

    private MemorySegment seen() throws IOException {
        return other.map(MapMode.READ_WRITE, 0, file.bytes(), arena);
    }

    private static int byteAt(MemorySegment seen, Place place, long offset) {
        return seen.get(ValueLayout.JAVA_BYTE, place.offset() + offset);
    }

    private RoutineRegion region(int bytes, int value) {
        MemorySegment memory = arena.allocate(bytes);
        memory.fill((byte) value);
        return new RoutineRegion(0, 0, 0, memory);
    }
}
