package dev.outboard.dpa.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.NicFixture.Setting;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.dpa.nic.layout.TransposeSegment;
import dev.outboard.dpa.nic.layout.WaitSegment;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What is refused of entries that need no peer.
class LocalErrorTest {
    private static final int MOST = NicFixture.MAX_MESSAGE_BYTES;

    /// The keys of the test: one byte too few, read only, and good ones.
    record Keys(MemoryKey shorter, MemoryKey readOnly, MemoryKey writable, long base) {}

    /// Writes an entry.
    @FunctionalInterface
    interface Mistake {
        void write(DpaThread thread, Endpoint end, Keys keys);
    }

    private static Mistake move(int opcode, int segments, int from, int to) {
        return (thread, end, keys) -> {
            end.control(thread, opcode, segments);
            TransposeSegment.write(thread, end.segment(1), 4, 2, 2);
            int key = keys.writable.number();
            DataSegment.write(thread, end.segment(2), from, key, keys.base);
            DataSegment.write(thread, end.segment(3), to, key, keys.base + 512);
        };
    }

    private static Mistake shape(int element, int columns, int rows, int length) {
        Mistake entry = move(SendEntry.TRANSPOSE, 4, length, length);
        return (thread, end, keys) -> {
            entry.write(thread, end, keys);
            TransposeSegment.write(thread, end.segment(1), element, columns, rows);
        };
    }

    /// @param segment of the source, or of the destination
    private static Mistake memory(int opcode, int segment, boolean readOnly) {
        Mistake entry = move(opcode, 4, 16, 16);
        return (thread, end, keys) -> {
            entry.write(thread, end, keys);
            MemoryKey key = readOnly ? keys.readOnly : keys.shorter;
            DataSegment.write(thread, end.segment(segment), 16, key.number(), keys.base + 512);
        };
    }

    private static Mistake inline(int segment) {
        Mistake entry = move(SendEntry.LOCAL_DMA, 4, 8, 8);
        return (thread, end, keys) -> {
            entry.write(thread, end, keys);
            DataSegment.writeInline(thread, end.segment(segment), 8);
        };
    }

    private static Mistake await(int opcode, int segments, int operation, int offset) {
        return (thread, end, keys) -> {
            end.control(thread, opcode, segments);
            long word = keys.base + offset;
            int key = keys.shorter.number();
            WaitSegment.write(thread, end.segment(1), operation, false, key, word);
            WaitSegment.writeData(thread, end.segment(2), 0, 0);
        };
    }

    static Stream<Arguments> mistakes() {
        Syndrome operation = Syndrome.LOCAL_QUEUE_PAIR_OPERATION;
        Syndrome length = Syndrome.LOCAL_LENGTH;
        Syndrome protection = Syndrome.LOCAL_PROTECTION;
        int copy = SendEntry.LOCAL_DMA;
        int transpose = SendEntry.TRANSPOSE;
        int wait = SendEntry.WAIT_ON_DATA;
        return Stream.of(
                Arguments.of("modifier of a copy", move(0x0200_0032, 4, 16, 16), operation),
                Arguments.of("modifier of a wait", await(0x0F, 3, 0, 0), operation),
                Arguments.of("modifier of a send", await(0x0100_000A, 1, 0, 0), operation),
                Arguments.of("short copy", move(copy, 3, 16, 16), operation),
                Arguments.of("long transposition", move(transpose, 5, 16, 16), operation),
                Arguments.of("long wait", await(wait, 4, 0, 0), operation),
                Arguments.of("no size", shape(0, 2, 2, 0), operation),
                Arguments.of("no columns", shape(2, 0, 2, 0), operation),
                Arguments.of("no rows", shape(2, 2, 0, 0), operation),
                Arguments.of("many columns", shape(1, 128, 1, 128), operation),
                Arguments.of("many rows", shape(1, 1, 128, 128), operation),
                Arguments.of("inline source", inline(2), operation),
                Arguments.of("inline destination", inline(3), operation),
                Arguments.of("two lengths to copy", move(copy, 4, 16, 17), length),
                Arguments.of("two lengths to transpose", move(transpose, 4, 16, 8), length),
                Arguments.of("more than the matrix", move(transpose, 4, 17, 17), length),
                Arguments.of("too long", move(copy, 4, MOST + 1, MOST + 1), length),
                Arguments.of("source", memory(copy, 2, false), protection),
                Arguments.of("destination", memory(copy, 3, false), protection),
                Arguments.of("read only", memory(transpose, 3, true), protection),
                Arguments.of("operation", await(wait, 3, 6, 0), operation),
                Arguments.of("action", await(wait, 3, 0, 1), operation),
                Arguments.of("word", await(wait, 3, 0, 512), protection));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakes")
    @Requirement({"DPA-FXQ-8e", "DPA-FXQ-9"})
    void aBadEntryEndsTheQueue(String name, Mistake mistake, Syndrome expected) {
        for (Setting setting : NicFixture.settings()) {
            NicFixture fixture = new NicFixture(setting);
            long base = fixture.allocate(1024);
            Keys keys =
                    new Keys(
                            fixture.nic.register(base, 519, Access.LOCAL_WRITE),
                            fixture.nic.register(base, 1024),
                            fixture.nic.register(base, 1024, Access.LOCAL_WRITE),
                            base);
            fixture.process.write64(base, -1);
            List<Endpoint.Taken> taken = new ArrayList<>();
            fixture.run(ends -> {
                mistake.write(ends.thread(), ends.near(), keys);
                ends.near().ring(ends.thread(), 2);
                taken.add(ends.near().take(ends.thread()));
            });
            assertThat(taken)
                    .as("%s: %s", setting, name)
                    .containsExactly(
                            new Endpoint.Taken(
                                    CompletionEntry.REQUEST_ERROR, expected.code(), 0, 0, 0));
            assertThat(fixture.process.read(base + 8, 1016)).containsOnly(0);
        }
    }

    /// A receive entry of the queue pair fails meanwhile.
    @ParameterizedTest
    @MethodSource("dev.outboard.dpa.nic.NicFixture#settings")
    @Requirement({"DPA-FXQ-8e", "DPA-FXQ-9"})
    void aWaitIsFlushedWithItsQueuePair(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        long base = fixture.allocate(128);
        MemoryKey readOnly = fixture.nic.register(base, 128);
        List<Endpoint.Taken> taken = new ArrayList<>();
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            Endpoint end = ends.near();
            end.receive(thread, readOnly, base, 8);
            end.control(thread, SendEntry.WAIT_ON_DATA, 3);
            int key = readOnly.number();
            WaitSegment.write(thread, end.segment(1), WaitSegment.EQUAL, false, key, base);
            WaitSegment.writeData(thread, end.segment(2), 1, -1);
            end.ring(thread, 1);
            ends.far().send(thread, readOnly, base + 64, 8);
            for (int i = 0; i < 2; i++) {
                taken.add(end.take(thread));
            }
        });
        int flushed = Syndrome.FLUSHED.code();
        int protection = Syndrome.LOCAL_PROTECTION.code();
        assertThat(taken)
                .containsExactly(
                        new Endpoint.Taken(CompletionEntry.RECEIVE_ERROR, protection, 0, 0, 0),
                        new Endpoint.Taken(CompletionEntry.REQUEST_ERROR, flushed, 0, 0, 0));
    }
}
