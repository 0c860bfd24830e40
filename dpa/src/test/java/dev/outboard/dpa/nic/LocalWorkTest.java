package dev.outboard.dpa.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.nic.NicFixture.Setting;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.dpa.nic.layout.TransposeSegment;
import dev.outboard.dpa.nic.layout.WaitSegment;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What entries do that need no peer: they copy and transpose memory, and wait for words.
class LocalWorkTest {
    private static final String MODES = "dev.outboard.dpa.nic.NicFixture#settings";
    private static final int MAX_BYTES = 4096;
    private static final int HALF = 16384;

    private final List<Endpoint.Taken> near = new ArrayList<>();
    private final List<Endpoint.Taken> far = new ArrayList<>();

    private static Endpoint.Taken done(int counter, int byteCount) {
        return new Endpoint.Taken(CompletionEntry.REQUEST, 0, counter, byteCount, 0);
    }

    private static Endpoint.Taken failed(int counter, Syndrome syndrome) {
        return new Endpoint.Taken(CompletionEntry.REQUEST_ERROR, syndrome.code(), counter, 0, 0);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /// A word as it lies in memory.
    private static void store(DpaThread thread, long address, long value) {
        thread.store64(address, value);
        thread.memoryWriteback();
    }

    private static void postMove(
            DpaThread thread,
            Endpoint end,
            int opcode,
            MemoryKey key,
            long from,
            long to,
            int length) {
        end.control(thread, opcode, 4);
        DataSegment.write(thread, end.segment(2), length, key.number(), from);
        DataSegment.write(thread, end.segment(3), length, key.number(), to);
    }

    private static void copy(
            DpaThread thread, Endpoint end, MemoryKey key, long from, long to, int length) {
        postMove(thread, end, SendEntry.LOCAL_DMA, key, from, to, length);
        end.ring(thread, 1);
    }

    private static void await(
            DpaThread thread, Endpoint end, Condition condition, MemoryKey key, long word) {
        end.control(thread, SendEntry.WAIT_ON_DATA, 3);
        WaitSegment.write(
                thread,
                end.segment(1),
                condition.operation,
                condition.inverted,
                key.number(),
                word);
        WaitSegment.writeData(thread, end.segment(2), condition.data, condition.mask);
        end.ring(thread, 1);
    }

    /// @param element its size
    record Shape(int element, int columns, int rows) {
        int bytes() {
            return element * columns * rows;
        }

        /// Takes the matrix apart, and writes it down column by column.
        byte[] transposed(byte[] source) {
            byte[][][] matrix = new byte[rows][columns][element];
            int at = 0;
            for (byte[][] row : matrix) {
                for (byte[] one : row) {
                    System.arraycopy(source, at, one, 0, element);
                    at += element;
                }
            }
            byte[] result = new byte[source.length];
            at = 0;
            for (int column = 0; column < columns; column++) {
                for (byte[][] row : matrix) {
                    System.arraycopy(row[column], 0, result, at, element);
                    at += element;
                }
            }
            return result;
        }
    }

    private static List<Shape> shapes() {
        List<Shape> shapes = new ArrayList<>();
        for (int element = 1; element <= 16; element++) {
            shapes.add(new Shape(element, 1 + 5 * element % 7, 1 + 3 * element % 5));
        }
        shapes.add(new Shape(1, 1, 1));
        shapes.add(new Shape(8, 127, 3));
        shapes.add(new Shape(4, 3, 127));
        shapes.add(new Shape(255, 3, 2));
        shapes.add(new Shape(5, 1, 9));
        return shapes;
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-8e")
    void aMatrixIsTransposed(Setting setting) {
        NicFixture fixture = new NicFixture(setting, MAX_BYTES);
        long base =
                fixture.process.external().add("matrices", ExternalKind.HOST, 2 * HALF).address();
        MemoryKey key = fixture.nic.register(base, 2 * HALF, Access.LOCAL_WRITE);
        // What is not aligned to anything is transposed, too.
        long from = base + 3;
        long to = base + HALF + 5;
        byte[] source = random(HALF - 64);
        fixture.process.write(from, source);
        List<Shape> shapes = shapes();
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            int at = 0;
            for (Shape shape : shapes) {
                Endpoint end = ends.near();
                postMove(thread, end, SendEntry.TRANSPOSE, key, from + at, to + at, shape.bytes());
                TransposeSegment.write(
                        thread, end.segment(1), shape.element, shape.columns, shape.rows);
                end.ring(thread, 1);
                near.add(end.take(thread));
                at += shape.bytes();
            }
        });
        int at = 0;
        for (int i = 0; i < shapes.size(); i++) {
            Shape shape = shapes.get(i);
            byte[] matrix = Arrays.copyOfRange(source, at, at + shape.bytes());
            assertThat(near.get(i)).isEqualTo(done(i, shape.bytes()));
            assertThat(fixture.process.read(to + at, shape.bytes()))
                    .as("%s", shape)
                    .isEqualTo(shape.transposed(matrix));
            at += shape.bytes();
        }
        assertThat(fixture.process.read(to + at, 16)).containsOnly(0);
        assertThat(fixture.process.read(from, source.length)).isEqualTo(source);
    }

    /// As if all had been read before something is written.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-8e")
    void memoryIsCopiedAlsoIfTheTwoOverlap(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        int most = NicFixture.MAX_MESSAGE_BYTES;
        long base = fixture.allocate(4 * most);
        byte[] before = random(4 * most);
        fixture.process.write(base, before);
        MemoryKey key = fixture.nic.register(base, 4L * most, Access.LOCAL_WRITE);
        int[][] moves = {
            {1, 300, 17}, {8, 16, 64}, {100, 90, 50}, {0, 0, 32}, {2, 2, 0}, {0, 512, most}
        };
        fixture.run(ends -> {
            for (int[] move : moves) {
                copy(ends.thread(), ends.near(), key, base + move[0], base + move[1], move[2]);
                near.add(ends.near().take(ends.thread()));
            }
        });
        byte[] expected = before.clone();
        for (int i = 0; i < moves.length; i++) {
            int[] move = moves[i];
            System.arraycopy(expected, move[0], expected, move[1], move[2]);
            assertThat(near.get(i)).isEqualTo(done(i, move[2]));
        }
        assertThat(fixture.process.read(base, expected.length)).isEqualTo(expected);
    }

    /// A matrix may take the place of the one that it is made of.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-8e")
    void aMatrixIsTransposedInItsPlace(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        Shape shape = new Shape(2, 5, 7);
        long at = fixture.allocate(128);
        byte[] before = random(shape.bytes());
        fixture.process.write(at, before);
        MemoryKey key = fixture.nic.register(at, 128, Access.LOCAL_WRITE);
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            Endpoint end = ends.near();
            postMove(thread, end, SendEntry.TRANSPOSE, key, at, at, shape.bytes());
            TransposeSegment.write(thread, end.segment(1), 2, 5, 7);
            end.ring(thread, 1);
            near.add(end.take(thread));
        });
        assertThat(fixture.process.read(at, before.length)).isEqualTo(shape.transposed(before));
    }

    /// What a read brings is copied after it has come, and written back after that; nobody waits
    /// for anything in between, and only the last one tells that it is done.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-8e")
    void entriesKeepTheirOrder(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        int rounds = 20;
        long base = fixture.allocate(64 * 4);
        MemoryKey key =
                fixture.nic.register(
                        base, 64 * 4, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);
        List<Long> written = new ArrayList<>();
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            Endpoint end = ends.near();
            for (int round = 0; round < rounds; round++) {
                thread.store64(base, 100 + round);
                thread.memoryWriteback();
                quietly(thread, end, SendEntry.RDMA_READ, 3);
                SendEntry.writeRemote(thread, end.segment(1), base, key.number());
                DataSegment.write(thread, end.segment(2), 8, key.number(), base + 64);
                end.ring(thread, 1);
                quietly(thread, end, SendEntry.LOCAL_DMA, 4);
                DataSegment.write(thread, end.segment(2), 8, key.number(), base + 64);
                DataSegment.write(thread, end.segment(3), 8, key.number(), base + 128);
                end.ring(thread, 1);
                end.remote(thread, SendEntry.RDMA_WRITE, key, base + 128, 8, base + 192, key);
                near.add(end.take(thread));
                written.add(thread.load64(base + 192));
            }
        });
        for (int round = 0; round < rounds; round++) {
            assertThat(near.get(round)).isEqualTo(done(3 * round + 2, 8));
            assertThat(written.get(round)).isEqualTo(100 + round);
        }
    }

    /// An entry of that number in the ring which tells only of an error.
    private static void quietly(DpaThread thread, Endpoint end, int opcode, int segments) {
        end.control(thread, opcode, segments);
        thread.store32(end.segment(0) + 8, 0);
    }

    /// An entry fails for its peer, and those after it are flushed in their order.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-FXQ-8e", "DPA-FXQ-9"})
    void whatComesAfterAFailureIsFlushed(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        long base = fixture.allocate(128);
        fixture.process.write64(base, 7);
        MemoryKey key = fixture.nic.register(base, 128, Access.LOCAL_WRITE);
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            ends.near().remote(thread, SendEntry.RDMA_WRITE, key, base, 8, base + 8, key);
            copy(thread, ends.near(), key, base, base + 64, 8);
            await(thread, ends.near(), Condition.of(WaitSegment.EQUAL, 1), key, base);
            for (int i = 0; i < 3; i++) {
                near.add(ends.near().take(thread));
            }
        });
        assertThat(near)
                .containsExactly(
                        failed(0, Syndrome.REMOTE_ACCESS),
                        failed(1, Syndrome.FLUSHED),
                        failed(2, Syndrome.FLUSHED));
        assertThat(fixture.process.read(base + 8, 120)).containsOnly(0);
    }

    /// A comparison, a word for which it holds, and one for which it does not.
    record Condition(
            int operation, boolean inverted, long data, long mask, long holds, long fails) {
        static Condition of(int operation, long data) {
            return new Condition(operation, false, data, -1, data, data + 1);
        }

        Condition invert() {
            return new Condition(operation, !inverted, data, mask, fails, holds);
        }
    }

    private static List<Condition> conditions() {
        List<Condition> plain =
                List.of(
                        new Condition(WaitSegment.EQUAL, false, 5, -1, 5, 6),
                        new Condition(WaitSegment.EQUAL, false, 5, 0xFF, 0x3305, 0x3306),
                        new Condition(WaitSegment.EQUAL, false, 1L << 56, -1, 1L << 56, 1),
                        new Condition(WaitSegment.BIGGER, false, 5, -1, -1, 5),
                        new Condition(WaitSegment.BIGGER, false, 5, 7, 6, 8),
                        new Condition(WaitSegment.SMALLER, false, 5, -1, 4, -1),
                        new Condition(WaitSegment.SMALLER, false, 5, -1, 0, 5),
                        new Condition(WaitSegment.CYCLIC_BIGGER, false, -2, -1, 1, -2),
                        new Condition(WaitSegment.CYCLIC_BIGGER, false, 0xFE, 0xFF, 0x7701, 0x80),
                        new Condition(WaitSegment.CYCLIC_SMALLER, false, 1, -1, -1, 1),
                        new Condition(WaitSegment.CYCLIC_SMALLER, false, 1, 0xFF, 0xFE, 0x77));
        List<Condition> all = new ArrayList<>(plain);
        plain.forEach(condition -> all.add(condition.invert()));
        return all;
    }

    /// A thread stores words for which each condition fails at first, and then holds. Meanwhile
    /// another queue goes on.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-8e")
    void aQueueWaitsUntilAWordComparesAsAsked(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        long word = fixture.allocate(64);
        MemoryKey key = fixture.nic.register(word, 8);
        List<Condition> conditions = conditions();
        List<Boolean> early = new ArrayList<>();
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            for (Condition condition : conditions) {
                store(thread, word, condition.fails);
                await(thread, ends.near(), condition, key, word);
                ends.far().nothing(thread);
                ends.far().nothing(thread);
                early.add(ends.near().isReady(thread));
                store(thread, word, condition.holds);
                near.add(ends.near().take(thread));
            }
            await(thread, ends.near(), Condition.of(WaitSegment.ALWAYS, 77), key, word);
            near.add(ends.near().take(thread));
            // Never; the process ends all the same.
            Condition never = Condition.of(WaitSegment.ALWAYS, 77).invert();
            await(thread, ends.near(), never, key, word);
            ends.far().nothing(thread);
            early.add(ends.near().isReady(thread));
        });
        assertThat(early).hasSize(conditions.size() + 1).containsOnly(false);
        for (int i = 0; i <= conditions.size(); i++) {
            assertThat(near.get(i)).isEqualTo(done(i, 0));
        }
    }

    /// The peer writes the word. What comes after the wait does not overtake it.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-8e")
    void aWriteOfThePeerEndsAWait(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        long base = fixture.allocate(64 * 5);
        fixture.process.write64(base, 1);
        fixture.process.write64(base + 64, 42);
        MemoryKey key = fixture.nic.register(base, 64 * 5, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        long word = base + 128;
        List<Long> early = new ArrayList<>();
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            Endpoint end = ends.near();
            await(thread, end, Condition.of(WaitSegment.EQUAL, 1), key, word);
            end.remote(thread, SendEntry.RDMA_WRITE, key, base + 64, 8, base + 192, key);
            copy(thread, end, key, base + 64, base + 256, 8);
            ends.far().nothing(thread);
            ends.far().nothing(thread);
            early.add(thread.load64(base + 192));
            early.add(thread.load64(base + 256));
            ends.far().remote(thread, SendEntry.RDMA_WRITE, key, base, 8, word, key);
            far.add(ends.far().take(thread));
            for (int i = 0; i < 3; i++) {
                near.add(end.take(thread));
            }
        });
        assertThat(early).containsExactly(0L, 0L);
        assertThat(far).containsExactly(done(2, 8));
        assertThat(near).containsExactly(done(0, 0), done(1, 8), done(2, 8));
        assertThat(fixture.process.read64(base + 192)).isEqualTo(42);
        assertThat(fixture.process.read64(base + 256)).isEqualTo(42);
    }

    /// Each waits for what the other one writes, in turn, and no thread does anything.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-8e")
    void twoQueuesWaitForEachOther(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        long numbers = fixture.allocate(64);
        fixture.process.write64(numbers, 1);
        fixture.process.write64(numbers + 8, 2);
        long words = fixture.allocate(128);
        MemoryKey source = fixture.nic.register(numbers, 64);
        MemoryKey key = fixture.nic.register(words, 128, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            for (int n = 0; n < 2; n++) {
                Condition next = Condition.of(WaitSegment.EQUAL, n + 1);
                long number = numbers + 8L * n;
                await(thread, ends.near(), next, key, words);
                ends.near()
                        .remote(thread, SendEntry.RDMA_WRITE, source, number, 8, words + 64, key);
                ends.far().remote(thread, SendEntry.RDMA_WRITE, source, number, 8, words, key);
                await(thread, ends.far(), next, key, words + 64);
            }
            for (int n = 0; n < 4; n++) {
                near.add(ends.near().take(thread));
                far.add(ends.far().take(thread));
            }
        });
        assertThat(near).containsExactly(done(0, 0), done(1, 8), done(2, 0), done(3, 8));
        assertThat(far).containsExactly(done(0, 8), done(1, 0), done(2, 8), done(3, 0));
        assertThat(fixture.process.read64(words + 64)).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("dev.outboard.dpa.nic.NicFixture#modes")
    @Requirement({"DPA-FXQ-8e", "DPA-FXQ-9"})
    void aWaitEndsWithItsKey(RunMode mode) {
        NicFixture fixture = new NicFixture(mode);
        long word = fixture.allocate(64);
        MemoryKey key = fixture.nic.register(word, 8);
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            await(thread, ends.near(), Condition.of(WaitSegment.EQUAL, 1), key, word);
            ends.far().nothing(thread);
            fixture.nic.deregister(key);
            ends.far().nothing(thread);
            near.add(ends.near().take(thread));
        });
        assertThat(near).containsExactly(failed(0, Syndrome.LOCAL_PROTECTION));
    }

    /// What a thread forgets, by the bytes of a copy.
    private static List<Rule> found(Forgetful forgetful) {
        Checker checker = new Checker(Profile.SEED, false);
        NicFixture fixture =
                new NicFixture(new Setting(RunMode.check(checker, 1), Optional.empty()));
        long base = fixture.allocate(192);
        MemoryKey key = fixture.nic.register(base, 192, Access.LOCAL_WRITE);
        return fixture
                .check(ends -> {
                    DpaThread thread = ends.thread();
                    forgetful.run(thread, ends.near(), key, base);
                    ends.near().take(thread);
                })
                .stream()
                .map(Finding::rule)
                .toList();
    }

    @FunctionalInterface
    private interface Forgetful {
        /// Posts one entry.
        void run(DpaThread thread, Endpoint end, MemoryKey key, long base);
    }

    @Test
    @Requirement({"DPA-FXQ-8e", "DPA-CHK-1", "DPA-CHK-9"})
    void theCheckerSeesWhatTheNicReadsAndWrites() {
        Forgetful correct =
                (thread, end, key, base) -> {
                    thread.store64(base, 1);
                    copy(thread, end, key, base, base + 64, 8);
                };
        Forgetful unwritten =
                (thread, end, key, base) -> {
                    postMove(thread, end, SendEntry.LOCAL_DMA, key, base, base + 64, 8);
                    thread.memoryWriteback();
                    thread.store64(base, 1);
                    long doorbell = AddressMap.OUTBOX + AddressMap.SEND_DOORBELL;
                    thread.store64(doorbell, Doorbell.send(end.pair.number(), 1));
                };
        Forgetful word =
                (thread, end, key, base) -> {
                    await(thread, end, Condition.of(WaitSegment.EQUAL, 1), key, base);
                    for (int i = 0; i < 500; i++) {
                        thread.load64(base + 64);
                    }
                    thread.store64(base, 1);
                };
        assertThat(found(correct)).isEmpty();
        assertThat(found(unwritten)).contains(Rule.MISSING_MEMORY_WRITEBACK);
        assertThat(found(word)).contains(Rule.MISSING_MEMORY_WRITEBACK);
        // Too early to use the source, or the destination, again.
        for (int offset = 0; offset <= 64; offset += 64) {
            long used = offset;
            Forgetful hasty =
                    (thread, end, key, base) -> {
                        thread.store64(base, 1);
                        copy(thread, end, key, base, base + 64, 8);
                        while (thread.load64(base + 64) == 0) {
                            // That it comes does not tell that the NIC is done.
                        }
                        store(thread, base + used, 1);
                    };
            assertThat(found(hasty)).contains(Rule.BUFFER_IN_FLIGHT);
        }
    }
}
