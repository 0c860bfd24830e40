package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.cc.Clang;
import dev.outboard.dpa.cc.Clang.Form;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Hash tables of kernels.
class DpaHashTableTest {
    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    /// In Java and in C.
    static List<Form> forms() {
        return Clang.forms(TablesStub.APP, modes());
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 4", "4, 4", "5, 8", "1000, 1024"})
    @Requirement("DPA-DM-7")
    void entriesAreRoundedUpToAPowerOfTwo(int asked, int made) {
        try (MovesSide side = new MovesSide(RunMode.fast(), TablesStub.APP);
                DocaDpaHashTable table = DocaDpaHashTable.create(side.dpa, asked)) {
            assertThat(table.entries()).isEqualTo(made);
            for (int key = 0; key < made; key++) {
                side.dpa.rpc(TablesStub.add(table.handle(), key, key));
            }
            assertThat(side.dpa.rpc(TablesStub.find(table.handle(), made - 1))).isEqualTo(made - 1);
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-DM-7")
    void itIsAMap(Form form) {
        Random random = new Random(5);
        try (MovesSide side = new MovesSide(form.mode(), form.app());
                DocaDpaHashTable table = DocaDpaHashTable.create(side.dpa, 8)) {
            Map<Integer, Long> expected = new HashMap<>();
            long handle = table.handle();
            for (int i = 0; i < 150; i++) {
                // Keys that are far from each other, and of either sign.
                int key = random.nextInt(10) * 0x2A00_0001;
                if (random.nextBoolean() || expected.size() == 8) {
                    side.dpa.rpc(TablesStub.remove(handle, key));
                    expected.remove(key);
                } else {
                    side.dpa.rpc(TablesStub.add(handle, key, i));
                    expected.put(key, (long) i);
                }
                int asked = random.nextInt(10) * 0x2A00_0001;
                assertThat(side.dpa.rpc(TablesStub.find(handle, asked)))
                        .isEqualTo(expected.getOrDefault(asked, Tables.NOTHING));
            }
            assertThat(side.findings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("forms")
    @Requirement("DPA-DM-7")
    void anAdditionToAFullTableEndsTheContext(Form form) {
        try (MovesSide side = new MovesSide(form.mode(), form.app())) {
            DocaDpaHashTable table = DocaDpaHashTable.create(side.dpa, 3);
            long handle = table.handle();
            for (int key = 1; key <= 4; key++) {
                side.dpa.rpc(TablesStub.add(handle, key, 10L * key));
            }
            // A key that it has is not added again.
            side.dpa.rpc(TablesStub.add(handle, 3, 31));
            assertThat(side.dpa.rpc(TablesStub.find(handle, 3))).isEqualTo(31);
            assertThat(side.dpa.rpc(TablesStub.find(handle, 5))).isEqualTo(Tables.NOTHING);
            side.dpa.rpc(TablesStub.remove(handle, 2));
            side.dpa.rpc(TablesStub.add(handle, 5, 50));
            assertThat(side.dpa.rpc(TablesStub.find(handle, 2))).isEqualTo(Tables.NOTHING);
            side.faults(
                    () -> side.dpa.rpc(TablesStub.add(handle, 2, 20)),
                    86,
                    "hash table 0x%x has 4 entries".formatted(handle),
                    "key 0x2");
            table.close();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement("DPA-DM-7")
    void threadsUseItAtOnce(RunMode mode) throws InterruptedException {
        int threads = 4;
        int each = 16;
        int rounds = mode instanceof RunMode.Fast ? 2000 : 5;
        try (MovesSide side = new MovesSide(mode, TablesStub.APP);
                DocaDpaHashTable table = DocaDpaHashTable.create(side.dpa, threads * each)) {
            DpaAddr good = side.zeros(1);
            SyncEvent there = side.event();
            SyncEvent done = side.event();
            side.dpa.launchUpdateAdd(
                    null,
                    0,
                    done,
                    1,
                    threads,
                    TablesStub.use(table.handle(), rounds, each, good, there.handle(side.dpa)));
            done.waitGt(0, -1, Spin.YIELD, Duration.ofSeconds(60));
            assertThat(side.words(good, 1)).containsExactly((long) threads * each * rounds);
            for (int key = 0; key < threads * each; key++) {
                int i = key / threads;
                assertThat(side.dpa.rpc(TablesStub.find(table.handle(), key)))
                        .isEqualTo(i % 2 == 0 ? Tables.NOTHING : key % threads * 1000L + i);
            }
            assertThat(side.findings()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    void itTakesMemoryUntilItIsClosed(RunMode mode) {
        try (MovesSide side = new MovesSide(mode, TablesStub.APP)) {
            for (int entries : new int[] {0, -1, (1 << 26) + 1}) {
                MovesSide.refused(
                        DocaError.INVALID_VALUE,
                        () -> DocaDpaHashTable.create(side.dpa, entries),
                        "valid: 1 to");
            }
            int large = 1 << 16;
            MovesSide.refused(
                    DocaError.NO_MEMORY,
                    () -> DocaDpaHashTable.create(side.dpa, 8 * large),
                    "room");
            for (int i = 0; i < 8; i++) {
                DocaDpaHashTable table = DocaDpaHashTable.create(side.dpa, large);
                table.close();
                table.close();
                MovesSide.refused(DocaError.BAD_STATE, table::handle, "closed");
            }
            DocaDpaHashTable left = DocaDpaHashTable.create(side.dpa, 4);
            side.dpa.stop();
            left.close();
        }
    }
}
