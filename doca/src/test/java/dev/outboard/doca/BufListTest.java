package dev.outboard.doca;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Buffers chained to lists.
class BufListTest {
    private final Mmap mmap = Mmap.builder().memrange(256).build().start();
    private final BufInventory inventory = BufInventory.create(8).start();

    @AfterEach
    void close() {
        assertThat(inventory.freeCount()).isEqualTo(8);
        inventory.close();
        mmap.close();
    }

    @Test
    @Requirement("DCORE-BUF-10")
    void chainingAppendsAListToAList() {
        Buf[] bufs = bufs(5);
        bufs[0].chain(bufs[1]);
        bufs[2].chain(bufs[3]);
        bufs[2].chain(bufs[4]);
        bufs[0].chain(bufs[2]);
        assertThat(elements(bufs[0])).containsExactly(bufs);
        assertThat(bufs[3].data()).isEqualTo(24);
        bufs[0].release();
    }

    @Test
    @Requirement({"DCORE-BUF-10", "DCORE-ERR-6"})
    void chainingTakesHeadsWithOneReferenceOnly() {
        Buf[] bufs = bufs(4);
        bufs[0].chain(bufs[1]);
        assertRefused(DocaError.NOT_PERMITTED, () -> bufs[2].chain(bufs[1]), "take the head");
        assertRefused(DocaError.NOT_PERMITTED, () -> bufs[1].chain(bufs[2]), "take the head");
        assertRefused(DocaError.NOT_PERMITTED, () -> bufs[0].chain(bufs[0]), "itself");
        assertRefused(DocaError.NOT_PERMITTED, () -> bufs[1].chain(bufs[0]));
        bufs[2].retain();
        assertRefused(DocaError.NOT_PERMITTED, () -> bufs[0].chain(bufs[2]), "2 references");
        assertThat(elements(bufs[0])).containsExactly(bufs[0], bufs[1]);
        assertThat(bufs[2].isInList()).isFalse();
        bufs[2].release();
        bufs[2].release();
        bufs[3].release();
        bufs[0].release();
    }

    @Test
    @Requirement("DCORE-BUF-11")
    void appendingFindsTheEndOfALongListAtOnce() {
        // Quadratic work would take minutes.
        int many = 200_000;
        try (BufInventory large = BufInventory.create(many).start()) {
            Buf head = large.byAddress(mmap, 0, 1);
            for (int i = 1; i < many; i++) {
                head.chain(large.byAddress(mmap, 0, 1));
            }
            assertThat(head.listLength()).isEqualTo(many);
            head.release();
            assertThat(large.freeCount()).isEqualTo(many);
        }
    }

    @Test
    @Requirement("DCORE-BUF-11")
    void aListCanBeAppendedToAGivenTail() {
        Buf[] bufs = bufs(5);
        bufs[0].chain(bufs[0], bufs[1]);
        bufs[2].chain(bufs[2], bufs[3]);
        bufs[0].chain(bufs[1], bufs[2]);
        assertThat(elements(bufs[0])).containsExactly(bufs[0], bufs[1], bufs[2], bufs[3]);
        assertRefused(
                DocaError.INVALID_VALUE, () -> bufs[0].chain(bufs[2], bufs[4]), "not the last");
        assertRefused(
                DocaError.INVALID_VALUE, () -> bufs[0].chain(bufs[4], bufs[4]), "not the last");
        assertRefused(
                DocaError.NOT_PERMITTED, () -> bufs[1].chain(bufs[3], bufs[4]), "take the head");
        bufs[0].chain(bufs[3], bufs[4]);
        assertThat(elements(bufs[0])).containsExactly(bufs);
        bufs[0].release();
    }

    @Test
    @Requirement("DCORE-BUF-12")
    void unchainingSplitsBeforeTheElement() {
        Buf[] bufs = list(5);
        bufs[0].unchain(bufs[2]);
        assertThat(elements(bufs[0])).containsExactly(bufs[0], bufs[1]);
        assertThat(elements(bufs[2])).containsExactly(bufs[2], bufs[3], bufs[4]);
        assertThat(bufs[2].refCount()).isEqualTo(1);
        assertThat(bufs[2].isFirst()).isTrue();
        assertThat(bufs[0].last()).isSameAs(bufs[1]);
        assertThat(bufs[2].last()).isSameAs(bufs[4]);
        bufs[0].chain(bufs[2]);
        assertThat(elements(bufs[0])).containsExactly(bufs);
        bufs[0].unchain(bufs[4]);
        assertThat(bufs[4].isInList()).isFalse();
        bufs[4].release();
        bufs[0].release();
    }

    @Test
    @Requirement("DCORE-BUF-12")
    void unchainingRefusesWhatIsNotInTheList() {
        Buf[] bufs = list(3);
        Buf[] others = list(2);
        assertRefused(DocaError.INVALID_VALUE, () -> bufs[0].unchain(bufs[0]), "not behind");
        assertRefused(DocaError.INVALID_VALUE, () -> bufs[0].unchain(others[1]));
        assertRefused(DocaError.INVALID_VALUE, () -> bufs[0].unchain(others[0]));
        assertRefused(DocaError.NOT_PERMITTED, () -> bufs[1].unchain(bufs[2]), "take the head");
        assertThat(elements(bufs[0])).containsExactly(bufs);
        assertThat(elements(others[0])).containsExactly(others);
        bufs[0].release();
        others[0].release();
    }

    @Test
    @Requirement("DCORE-BUF-13")
    void eachElementTellsItsPlace() {
        Buf[] bufs = list(3);
        assertThat(bufs[0].next()).isSameAs(bufs[1]);
        assertThat(bufs[2].next()).isNull();
        for (Buf each : bufs) {
            assertThat(each.last()).isSameAs(bufs[2]);
            assertThat(each.isFirst()).isEqualTo(each == bufs[0]);
            assertThat(each.isLast()).isEqualTo(each == bufs[2]);
            assertThat(each.isInList()).isTrue();
        }
        assertThat(bufs[0].listLength()).isEqualTo(3);
        assertRefused(DocaError.NOT_PERMITTED, bufs[1]::listLength, "take the head");
        bufs[0].release();
        Buf alone = inventory.byAddress(mmap, 0, 8);
        assertThat(alone.last()).isSameAs(alone);
        assertThat(alone.listLength()).isEqualTo(1);
        assertThat(alone.isFirst()).isTrue();
        assertThat(alone.isLast()).isTrue();
        assertThat(alone.isInList()).isFalse();
        alone.release();
    }

    @Test
    @Requirement("DCORE-BUF-14")
    void theHeadHoldsTheReferencesOfItsList() {
        Buf[] bufs = list(2);
        assertThat(bufs[0].retain()).isEqualTo(1);
        assertRefused(DocaError.NOT_PERMITTED, bufs[1]::retain, "retained");
        assertRefused(DocaError.NOT_PERMITTED, bufs[1]::release, "released");
        assertThat(bufs[1].refCount()).isEqualTo(1);
        assertThat(bufs[0].release()).isEqualTo(2);
        assertThat(bufs[0].release()).isEqualTo(1);
    }

    @Test
    @Requirement("DCORE-BUF-16")
    void allElementsGoBackToTheirInventoriesWithTheHead() {
        try (Mmap second = Mmap.builder().memrange(64).build().start();
                BufInventory another = BufInventory.createShared(2).start()) {
            Buf[] bufs = list(3);
            Buf foreign = another.byAddress(second, 0, 8);
            bufs[0].chain(foreign);
            assertThat(mmap.bufferCount()).isEqualTo(3);
            assertThat(second.bufferCount()).isEqualTo(1);
            bufs[0].retain();
            bufs[0].release();
            assertThat(inventory.freeCount()).isEqualTo(5);
            bufs[0].release();
            assertThat(inventory.freeCount()).isEqualTo(8);
            assertThat(another.freeCount()).isEqualTo(2);
            assertThat(mmap.bufferCount()).isZero();
            assertThat(second.bufferCount()).isZero();
            assertRefused(DocaError.BAD_STATE, bufs[2]::data);
            assertRefused(DocaError.BAD_STATE, foreign::data);
        }
    }

    @Test
    @Requirement("DCORE-BUF-16")
    void elementsThatWereInAListComeBackAlone() {
        Buf[] bufs = list(8);
        bufs[0].release();
        for (int i = 0; i <= BufInventory.SPARE + 8; i++) {
            Buf buf = inventory.byAddress(mmap, 0, 8);
            assertThat(buf.isInList()).isFalse();
            assertThat(buf.last()).isSameAs(buf);
            buf.release();
        }
    }

    private Buf[] bufs(int count) {
        Buf[] bufs = new Buf[count];
        for (int i = 0; i < count; i++) {
            bufs[i] = inventory.byData(mmap, 8L * i, 8);
        }
        return bufs;
    }

    private Buf[] list(int count) {
        Buf[] bufs = bufs(count);
        for (int i = 1; i < count; i++) {
            bufs[0].chain(bufs[i]);
        }
        return bufs;
    }

    private static List<Buf> elements(Buf head) {
        List<Buf> elements = new ArrayList<>();
        for (Buf each = head; each != null; each = each.next()) {
            elements.add(each);
        }
        return elements;
    }
}
