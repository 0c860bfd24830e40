package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.platform.Translation;
import dev.outboard.ccip.wire.Line;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class HostMemoryTest {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final VarHandle WORD =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private final HostMemory memory = new HostMemory(1, Translation.IOMMU);

    @Test
    @Requirement("CCIP-HST-2")
    void reachesWhatIsMappedAndNothingBeside() {
        MemorySegment segment = allocate(3 * 4096);
        long line = memory.map(List.of(segment), PageSize.KIB_4, Access.READ_WRITE) / Line.BYTES;
        for (int i = 0; i < 3 * 64; i++) {
            page(line + i).write(line + i, lineOf(i), 0);
        }
        assertThat(memory.find(line - 1)).isNull();
        assertThat(memory.find(line + 3 * 64)).isNull();
        for (int i = 0; i < 3 * 64; i++) {
            assertThat(segment.get(ValueLayout.JAVA_LONG, i * 64L + 56)).isEqualTo(i * 8L + 7);
        }
    }

    @Test
    @Requirement("CCIP-HST-2")
    void alignsABufferToItsPages() {
        for (PageSize size : PageSize.values()) {
            long address = memory.map(List.of(allocate(8192)), size, Access.READ_WRITE);
            assertThat(address % size.bytes()).as("%s", size).isZero();
        }
    }

    @Test
    @Requirement("CCIP-HST-3")
    void joinsScatteredPagesWithPermissionsOfTheirOwn() {
        MemorySegment whole = allocate(4 * 4096);
        MemorySegment first = whole.asSlice(3 * 4096, 4096);
        MemorySegment second = whole.asSlice(4096, 4096);
        long address = memory.map(List.of(first, second), PageSize.KIB_4, Access.READ_WRITE);
        long line = address / Line.BYTES;
        memory.protect(address + 4096, 4096, Access.READ_ONLY);
        page(line + 63).write(line + 63, lineOf(1), 0);
        page(line + 64).write(line + 64, lineOf(2), 0);

        assertThat(first.get(ValueLayout.JAVA_LONG, 63 * 64)).isEqualTo(8);
        assertThat(second.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(16);
        assertThat(page(line + 63).writable()).isTrue();
        assertThat(page(line + 64).writable()).isFalse();
        assertThat(page(line + 64).readable()).isTrue();
        memory.protect(address, 4096, Access.WRITE_ONLY);
        assertThat(page(line).readable()).isFalse();
        assertThat(page(line).writable()).isTrue();
    }

    @Test
    @Requirement("CCIP-HST-3")
    void physicalMemoryIsInOnePieceWithinAPageOnly() {
        HostMemory physical = new HostMemory(1, Translation.PHYSICAL);
        MemorySegment twoPages = allocate(8192);
        assertThatThrownBy(() -> physical.map(List.of(twoPages), PageSize.KIB_4, Access.READ_WRITE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8192 bytes in 1 pieces");
        long address = physical.map(List.of(twoPages), PageSize.MIB_2, Access.READ_WRITE);
        assertThat(physical.find(address / Line.BYTES + 127)).isNotNull();
        assertThatThrownBy(() -> physical.protect(address, 4096, Access.READ_ONLY))
                .hasMessageContaining("needs translation by an IOMMU");
    }

    @Test
    @Requirement("CCIP-HST-4")
    void addressesOfASeedLieLowHighAndNear2To47() {
        MemorySegment segment = allocate(4096);
        int low = 0;
        int high = 0;
        int top = 0;
        for (int i = 0; i < 100; i++) {
            long address = memory.map(List.of(segment), PageSize.KIB_4, Access.READ_WRITE);
            if (address < 1L << 32) {
                low++;
            } else if (address >= (1L << 47) - (1L << 38) - 4096) {
                assertThat(address).isLessThan(1L << 47);
                top++;
            } else {
                high++;
            }
        }
        assertThat(List.of(low, high, top)).allMatch(count -> count > 5);
        HostMemory same = new HostMemory(7, Translation.IOMMU);
        HostMemory again = new HostMemory(7, Translation.IOMMU);
        assertThat(same.map(List.of(segment), PageSize.KIB_4, Access.READ_WRITE))
                .isEqualTo(again.map(List.of(segment), PageSize.KIB_4, Access.READ_WRITE));
    }

    @Test
    void aPageHeldByARequestTellsThatItIsUnmapped() {
        long address = memory.map(List.of(allocate(8192)), PageSize.KIB_4, Access.READ_WRITE);
        long other = memory.map(List.of(allocate(4096)), PageSize.KIB_4, Access.READ_WRITE);
        Mapping held = page(address / Line.BYTES + 64);
        memory.unmap(address, 8192);
        assertThat(held.isLive()).isFalse();
        assertThat(memory.find(address / Line.BYTES)).isNull();
        assertThat(memory.find(address / Line.BYTES + 64)).isNull();
        assertThat(page(other / Line.BYTES).isLive()).isTrue();
    }

    @Test
    void findsEveryPageAmongMany() {
        long[] lines = new long[500];
        for (int i = 0; i < lines.length; i++) {
            MemorySegment segment = allocate(4096);
            segment.set(ValueLayout.JAVA_LONG, 0, i);
            lines[i] = memory.map(List.of(segment), PageSize.KIB_4, Access.READ_WRITE) / Line.BYTES;
        }
        long[] read = new long[16];
        for (int i = 0; i < lines.length; i++) {
            page(lines[i]).read(lines[i], read, 8);
            assertThat(read[8]).isEqualTo(i);
        }
    }

    @Test
    void refusesMemoryThatIsNotMadeOfPages() {
        MemorySegment heap = MemorySegment.ofArray(new long[512]);
        assertThatThrownBy(() -> memory.map(List.of(heap), PageSize.KIB_4, Access.READ_WRITE))
                .hasMessageContaining("4096 heap bytes");
        MemorySegment small = allocate(4096).asSlice(0, 100);
        assertThatThrownBy(() -> memory.map(List.of(small), PageSize.KIB_4, Access.READ_WRITE))
                .hasMessageContaining("has 100 bytes; valid is native memory in multiples of 4096");
        MemorySegment odd = allocate(8192).asSlice(8, 4096);
        assertThatThrownBy(() -> memory.map(List.of(odd), PageSize.KIB_4, Access.READ_WRITE))
                .hasMessageContaining("not aligned to a line");
    }

    @Test
    void writesTheBytesOfARangeOnly() {
        MemorySegment segment = allocate(4096);
        long line = memory.map(List.of(segment), PageSize.KIB_4, Access.READ_WRITE) / Line.BYTES;
        long[] data = new long[Line.LONGS];
        for (int i = 0; i < 64; i++) {
            data[i / 8] |= (i + 1L) << (i % 8 * 8);
        }
        for (int start = 0; start < 64; start++) {
            for (int length = 1; length <= 64 - start; length++) {
                segment.fill((byte) 0);
                page(line).writeBytes(line, data, 0, start, length);
                for (int i = 0; i < 64; i++) {
                    boolean written = i >= start && i < start + length;
                    assertThat(segment.get(ValueLayout.JAVA_BYTE, i))
                            .as("byte %d of %d+%d", i, start, length)
                            .isEqualTo((byte) (written ? i + 1 : 0));
                }
            }
        }
    }

    /// A host thread counts in byte 3 while bytes on both sides of it are written: with a read and
    /// a write back of the word, counts would be lost.
    @Test
    @Requirement("CCIP-BYT-14")
    void aByteWriteLosesNoStoreOfTheHostBesideIt() throws InterruptedException {
        MemorySegment segment = allocate(4096);
        long line = memory.map(List.of(segment), PageSize.KIB_4, Access.READ_WRITE) / Line.BYTES;
        boolean[] lost = new boolean[1];
        Thread host =
                Thread.ofPlatform()
                        .start(() -> {
                            for (int i = 1; i <= 1_000_000 && !lost[0]; i++) {
                                BYTE.setVolatile(segment, 3L, (byte) i);
                                lost[0] = (byte) BYTE.getVolatile(segment, 3L) != (byte) i;
                            }
                        });
        long[] data = new long[Line.LONGS];
        while (host.isAlive()) {
            data[0]++;
            page(line).writeBytes(line, data, 0, 0, 3);
            page(line).writeBytes(line, data, 0, 4, 5);
        }
        host.join();
        assertThat(lost[0]).isFalse();
    }

    /// A line that is written again and again with one number in all its words: the host, which
    /// reads the first word and then the last, never sees the last behind the first; and no word is
    /// torn.
    @Test
    @Requirement("CCIP-HST-1")
    void aHostThreadSeesWholeWordsInTheOrderTheyAreWritten() throws InterruptedException {
        MemorySegment segment = allocate(4096);
        long line = memory.map(List.of(segment), PageSize.KIB_4, Access.READ_WRITE) / Line.BYTES;
        String[] fault = new String[1];
        Thread host =
                Thread.ofPlatform()
                        .start(() -> {
                            for (int i = 0; i < 1_000_000 && fault[0] == null; i++) {
                                long first = (long) WORD.getAcquire(segment, 0L);
                                long last = (long) WORD.getAcquire(segment, 56L);
                                if (first >>> 32 != (first & 0xFFFF_FFFFL) || last < first) {
                                    fault[0] = first + " then " + last;
                                }
                            }
                        });
        long[] data = new long[Line.LONGS];
        for (long i = 0; host.isAlive(); i++) {
            Arrays.fill(data, (i << 32) | i);
            page(line).write(line, data, 0);
        }
        host.join();
        assertThat(fault[0]).isNull();
    }

    private Mapping page(long line) {
        return Objects.requireNonNull(memory.find(line));
    }

    private static MemorySegment allocate(long bytes) {
        return Arena.ofAuto().allocate(bytes, 4096);
    }

    private static long[] lineOf(int number) {
        long[] line = new long[Line.LONGS];
        for (int i = 0; i < line.length; i++) {
            line[i] = number * 8L + i;
        }
        return line;
    }
}
