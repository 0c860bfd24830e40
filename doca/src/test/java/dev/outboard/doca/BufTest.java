package dev.outboard.doca;

import static dev.outboard.doca.Refusals.assertRefused;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// One buffer: its data section, its references, its end.
class BufTest {
    private static final int MMAP_BYTES = 256;
    private static final int HEAD = 16;
    private static final int LEN = 64;

    private final Mmap mmap = Mmap.builder().memrange(MMAP_BYTES).build().start();
    private final BufInventory inventory = BufInventory.create(4).start();

    @BeforeEach
    void fillTheMemory() {
        for (int i = 0; i < MMAP_BYTES; i++) {
            mmap.segment().set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
    }

    @AfterEach
    void close() {
        inventory.close();
        mmap.close();
    }

    @Test
    @Requirement("DCORE-BUF-1")
    void tellsItsHeadItsDataAndItsTail() {
        Buf buf = inventory.byArgs(mmap, HEAD, LEN, 20, 30);
        assertThat(buf.mmap()).isSameAs(mmap);
        assertThat(buf.head()).isEqualTo(HEAD);
        assertThat(buf.len()).isEqualTo(LEN);
        assertThat(buf.data()).isEqualTo(20);
        assertThat(buf.dataLen()).isEqualTo(30);
        assertThat(buf.tail()).isEqualTo(50);
        assertThat(buf.tailLen()).isEqualTo(HEAD + LEN - 50);
        assertThat(buf.address()).isEqualTo(mmap.address() + HEAD);
        assertThat(buf.dataAddress()).isEqualTo(mmap.address() + 20);
        assertThat(buf.tailAddress()).isEqualTo(mmap.address() + 50);
        buf.release();
    }

    @Test
    @Requirement("DCORE-BUF-1")
    void showsTheBytesOfItsParts() {
        Buf buf = inventory.byArgs(mmap, HEAD, LEN, 20, 30);
        assertThat(bytes(buf.headSegment())).startsWith(HEAD).hasSize(LEN);
        assertThat(bytes(buf.dataSegment())).startsWith(20).endsWith(49).hasSize(30);
        assertThat(bytes(buf.tailSegment())).startsWith(50).endsWith(79).hasSize(30);
        buf.release();
    }

    @Test
    @Requirement("DCORE-BUF-2")
    void movesItsDataAnywhereInsideItself() {
        Buf buf = inventory.byAddress(mmap, HEAD, LEN);
        buf.data(HEAD, LEN);
        assertThat(buf.tailLen()).isZero();
        buf.data(HEAD + LEN, 0);
        assertThat(buf.tailLen()).isZero();
        assertThat(buf.tail()).isEqualTo(HEAD + LEN);
        buf.data(40, 8);
        buf.dataLen(HEAD + LEN - 40);
        assertThat(buf.data()).isEqualTo(40);
        assertThat(buf.tailLen()).isZero();
        buf.release();
    }

    @ParameterizedTest
    @CsvSource({
        "15, 8",
        "16, 65",
        "40, 41",
        "80, 1",
        "81, 0",
        "16, -1",
        "-1, 0",
        "40, 9223372036854775807",
        "9223372036854775807, 9223372036854775807",
        "-9223372036854775808, 16",
    })
    @Requirement({"DCORE-BUF-2", "DCORE-ERR-6"})
    void refusesDataOutsideItselfAndStaysAsItIs(long data, long dataLen) {
        Buf buf = inventory.byArgs(mmap, HEAD, LEN, 40, 8);
        assertRefused(DocaError.INVALID_VALUE, () -> buf.data(data, dataLen), "" + data);
        if (data == 40) {
            assertRefused(DocaError.INVALID_VALUE, () -> buf.dataLen(dataLen), "" + dataLen);
        }
        assertThat(buf.data()).isEqualTo(40);
        assertThat(buf.dataLen()).isEqualTo(8);
        buf.release();
    }

    @Test
    @Requirement("DCORE-BUF-3")
    void emptiesItsDataWhereItIs() {
        Buf buf = inventory.byArgs(mmap, HEAD, LEN, 40, 8);
        buf.resetDataLen();
        assertThat(buf.dataLen()).isZero();
        assertThat(buf.data()).isEqualTo(40);
        assertThat(buf.tailLen()).isEqualTo(HEAD + LEN - 40);
        buf.release();
    }

    @Test
    @Requirement("DCORE-BUF-14")
    void countsReferencesFromOneAndReportsTheValueBefore() {
        Buf buf = inventory.byAddress(mmap, 0, 8);
        assertThat(buf.refCount()).isEqualTo(1);
        assertThat(buf.retain()).isEqualTo(1);
        assertThat(buf.retain()).isEqualTo(2);
        assertThat(buf.refCount()).isEqualTo(3);
        assertThat(buf.release()).isEqualTo(3);
        assertThat(buf.release()).isEqualTo(2);
        assertThat(inventory.freeCount()).isEqualTo(3);
        assertThat(buf.release()).isEqualTo(1);
        assertThat(inventory.freeCount()).isEqualTo(4);
    }

    @Test
    @Requirement("DCORE-BUF-15")
    void refusesMoreReferencesThanCanBeAndFewerThanNone() {
        Buf buf = inventory.byAddress(mmap, 0, 8);
        for (int i = 1; i < 65535; i++) {
            buf.retain();
        }
        assertRefused(DocaError.TOO_BIG, buf::retain, "65535");
        assertThat(buf.refCount()).isEqualTo(65535);
        for (int i = 0; i < 65535; i++) {
            buf.release();
        }
        assertRefused(DocaError.BAD_STATE, buf::release);
    }

    @Test
    @Requirement({"DCORE-BUF-19", "DCORE-ERR-6", "DFLT-51"})
    void refusesEveryUseOnceItIsBack() {
        Buf buf = inventory.byAddress(mmap, 0, 8);
        Buf other = inventory.byAddress(mmap, 8, 8);
        buf.release();
        assertRefused(DocaError.BAD_STATE, buf::head);
        assertRefused(DocaError.BAD_STATE, buf::len);
        assertRefused(DocaError.BAD_STATE, buf::data);
        assertRefused(DocaError.BAD_STATE, buf::dataLen);
        assertRefused(DocaError.BAD_STATE, buf::tail);
        assertRefused(DocaError.BAD_STATE, buf::tailLen);
        assertRefused(DocaError.BAD_STATE, buf::address);
        assertRefused(DocaError.BAD_STATE, buf::dataAddress);
        assertRefused(DocaError.BAD_STATE, buf::tailAddress);
        assertRefused(DocaError.BAD_STATE, () -> buf.data(0, 1));
        assertRefused(DocaError.BAD_STATE, () -> buf.dataLen(1));
        assertRefused(DocaError.BAD_STATE, buf::resetDataLen);
        assertRefused(DocaError.BAD_STATE, buf::retain);
        assertRefused(DocaError.BAD_STATE, buf::release);
        assertRefused(DocaError.BAD_STATE, buf::refCount);
        assertRefused(DocaError.BAD_STATE, buf::mmap);
        assertRefused(DocaError.BAD_STATE, buf::headSegment);
        assertRefused(DocaError.BAD_STATE, buf::dataSegment);
        assertRefused(DocaError.BAD_STATE, buf::tailSegment);
        assertRefused(DocaError.BAD_STATE, buf::asByteBuffer);
        assertRefused(DocaError.BAD_STATE, () -> buf.chain(other));
        assertRefused(DocaError.BAD_STATE, () -> other.chain(buf));
        assertRefused(DocaError.BAD_STATE, () -> buf.unchain(other));
        assertRefused(DocaError.BAD_STATE, buf::next);
        assertRefused(DocaError.BAD_STATE, buf::last);
        assertRefused(DocaError.BAD_STATE, buf::listLength);
        assertRefused(DocaError.BAD_STATE, buf::isFirst);
        assertRefused(DocaError.BAD_STATE, buf::isLast);
        assertRefused(DocaError.BAD_STATE, buf::isInList);
        assertRefused(DocaError.BAD_STATE, () -> inventory.dup(buf));
        assertThat(other.listLength()).isEqualTo(1);
        other.release();
    }

    @Test
    @Requirement("DCORE-BUF-19")
    void staleHandlesStayRefusedWhileTheSlotIsReused() {
        try (BufInventory single = BufInventory.create(1).start()) {
            Buf stale = single.byAddress(mmap, 0, 8);
            int generation = stale.generation();
            stale.release();
            assertThat(stale.generation()).isNotEqualTo(generation);
            Set<Buf> reused = new HashSet<>();
            for (int i = 0; i < BufInventory.SPARE; i++) {
                Buf buf = single.byAddress(mmap, 0, 8);
                assertRefused(DocaError.BAD_STATE, stale::dataLen);
                reused.add(buf);
                buf.release();
            }
            assertThat(reused).hasSize(BufInventory.SPARE).doesNotContain(stale);
            Buf again = single.byAddress(mmap, 0, 8);
            assertThat(again).isSameAs(stale);
            assertThat(again.generation()).isNotEqualTo(generation);
            again.release();
        }
    }

    @Test
    @Requirement("DCORE-BUF-18")
    void ofAPeersMemoryComputesWithLengthsAndOffersNoBytes() {
        try (ExportedMemory far = ExportedMemory.of(64)) {
            RemoteBuf buf = inventory.byArgs(far.remote(), 8, 32, 16, 8);
            assertThat(buf.tailLen()).isEqualTo(16);
            assertThat(buf.tailAddress()).isEqualTo(far.mmap().address() + 24);
            buf.dataLen(24);
            assertRefused(DocaError.INVALID_VALUE, () -> buf.dataLen(25));
            buf.release();
            assertRefused(DocaError.BAD_STATE, buf::dataLen);
            assertRefused(DocaError.BAD_STATE, buf::mmap);
        }
        assertThat(Arrays.stream(RemoteBuf.class.getMethods()).map(Method::getReturnType))
                .noneMatch(MemorySegment.class::isAssignableFrom)
                .noneMatch(Buffer.class::isAssignableFrom);
    }

    @Test
    @Requirement("DJAVA-MEM-6")
    void byteBuffersOfItShareNoPosition() {
        Buf buf = inventory.byArgs(mmap, HEAD, LEN, 20, 30);
        ByteBuffer first = buf.asByteBuffer();
        assertThat(first.get()).isEqualTo((byte) 20);
        first.limit(5).position(5);
        ByteBuffer second = buf.asByteBuffer();
        assertThat(second.position()).isZero();
        assertThat(second.remaining()).isEqualTo(30);
        assertThat(buf.dataLen()).isEqualTo(30);
        second.put(1, (byte) 77);
        assertThat(mmap.segment().get(ValueLayout.JAVA_BYTE, 21)).isEqualTo((byte) 77);
        buf.release();
    }

    @Test
    @Requirement("DJAVA-MEM-5")
    void mayBeLongerThanTwoGibibytes(@TempDir Path directory) throws IOException {
        long big = 3L << 30;
        try (FileChannel sparse =
                        FileChannel.open(directory.resolve("sparse"), CREATE_NEW, READ, WRITE);
                Arena arena = Arena.ofShared();
                Mmap wide =
                        Mmap.builder()
                                .memrange(sparse.map(FileChannel.MapMode.READ_WRITE, 0, big, arena))
                                .build()
                                .start()) {
            Buf buf = inventory.byData(wide, 0, big);
            assertThat(buf.dataSegment().byteSize()).isEqualTo(big);
            buf.data(big - 8, 8);
            buf.dataSegment().set(ValueLayout.JAVA_LONG, 0, 7);
            assertThat(wide.segment().get(ValueLayout.JAVA_LONG, big - 8)).isEqualTo(7);
            buf.data(1, (1L << 31) + 5);
            assertThat(buf.tailLen()).isEqualTo(big - 1 - (1L << 31) - 5);
            assertRefused(DocaError.TOO_BIG, buf::asByteBuffer, "dataSegment");
            buf.release();
        }
    }

    private static int[] bytes(MemorySegment segment) {
        byte[] bytes = segment.toArray(ValueLayout.JAVA_BYTE);
        int[] values = new int[bytes.length];
        Arrays.setAll(values, i -> bytes[i]);
        return values;
    }
}
