package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.CacheTransition;
import dev.outboard.ccip.checker.CacheTransition.Command;
import dev.outboard.ccip.checker.CacheTransition.State;
import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.PageSize;
import dev.outboard.ccip.platform.Translation;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class FpgaCacheTest {
    private static final long LINE = 5;
    private static final long OTHER = LINE + FpgaCache.LINES;

    private final FpgaCache cache = new FpgaCache();

    /// The columns of the table in the catalog: row, request, what the cache holds at the index
    /// ("own" is the line itself, "victim" another), the phases, the number of the phase after
    /// which the response goes out, and the state after them.
    private static final String TABLE =
            """
            CCIP-CCH-20.1, WRLINE_I, own M, none>M WbMtoI>I, 1, I
            CCIP-CCH-20.2, WRLINE_I, own S, InvItoE>M WbMtoI>I, 1, I
            CCIP-CCH-20.3, WRLINE_I, own I, InvItoE>M WbMtoI>I, 1, I
            CCIP-CCH-20.4, WRLINE_M, own M, none>M, 1, M
            CCIP-CCH-20.5, WRLINE_M, own S, InvItoE>M, 1, M
            CCIP-CCH-20.6, WRLINE_M, own I, InvItoE>M, 1, M
            CCIP-CCH-20.7, WRPUSH_I, own M, none>M WbPushMtoI>I, 1, I
            CCIP-CCH-20.8, WRPUSH_I, own S, InvItoE>M WbPushMtoI>I, 1, I
            CCIP-CCH-20.8, WRPUSH_I, own I, InvItoE>M WbPushMtoI>I, 1, I
            CCIP-CCH-20.9, WRLINE_I, victim M, WbMtoI>I InvItoE>M WbMtoI>I, 2, I
            CCIP-CCH-20.10, WRLINE_M, victim M, WbMtoI>I InvItoE>M, 2, M
            CCIP-CCH-20.11, WRPUSH_I, victim M, WbMtoI>I InvItoE>M WbPushMtoI>I, 2, I
            CCIP-CCH-20.12, WRLINE_I, victim S, EvctCln>I InvItoE>M WbMtoI>I, 2, I
            CCIP-CCH-20.13, WRLINE_M, victim S, EvctCln>I InvItoE>M, 2, M
            CCIP-CCH-20.14, WRPUSH_I, victim S, EvctCln>I InvItoE>M WbPushMtoI>I, 2, I
            CCIP-CCH-20.15, RDLINE_S, own S, none>S, 1, S
            CCIP-CCH-20.15, RDLINE_S, own M, none>M, 1, M
            CCIP-CCH-20.16, RDLINE_S, own I, RdCode>S, 1, S
            CCIP-CCH-20.17, RDLINE_I, own S, none>S, 1, S
            CCIP-CCH-20.17, RDLINE_I, own M, none>M, 1, M
            CCIP-CCH-20.18, RDLINE_I, own I, RdCur>I, 1, I
            CCIP-CCH-20.19, RDLINE_I, victim M, WbMtoI>I RdCur>I, 2, I
            CCIP-CCH-20.20, RDLINE_S, victim M, WbMtoI>I RdCode>S, 2, S
            CCIP-CCH-20.21, RDLINE_I, victim S, EvctCln>I RdCur>I, 2, I
            CCIP-CCH-20.22, RDLINE_S, victim S, EvctCln>I RdCode>S, 2, S
            """;

    /// One case of a row.
    private record Case(
            String row, String request, String held, String phases, int response, State after) {
        static Case parse(String line) {
            String[] cells = line.split(", ");
            return new Case(
                    cells[0],
                    cells[1],
                    cells[2],
                    cells[3],
                    Integer.parseInt(cells[4]),
                    State.valueOf(cells[5]));
        }

        boolean isHit() {
            return held.startsWith("own") && !held.endsWith("I");
        }

        @Override
        public String toString() {
            return row + " " + request + " " + held;
        }
    }

    private static Stream<Case> cases() {
        return TABLE.lines().map(Case::parse);
    }

    /// What the lookup of a case comes to, in a cache of its own.
    private static CacheTransition transition(Case one, FpgaCache cache) {
        hold(one, cache);
        return lookup(cache, one.request(), LINE);
    }

    private static void hold(Case one, FpgaCache cache) {
        State held = State.valueOf(one.held().substring(one.held().length() - 1));
        bring(cache, one.held().startsWith("own") ? LINE : OTHER, held);
    }

    @TestFactory
    @Requirement(
            table = true,
            value = {
                "CCIP-CCH-20",
                "CCIP-CCH-20.1",
                "CCIP-CCH-20.2",
                "CCIP-CCH-20.3",
                "CCIP-CCH-20.4",
                "CCIP-CCH-20.5",
                "CCIP-CCH-20.6",
                "CCIP-CCH-20.7",
                "CCIP-CCH-20.8",
                "CCIP-CCH-20.9",
                "CCIP-CCH-20.10",
                "CCIP-CCH-20.11",
                "CCIP-CCH-20.12",
                "CCIP-CCH-20.13",
                "CCIP-CCH-20.14",
                "CCIP-CCH-20.15",
                "CCIP-CCH-20.16",
                "CCIP-CCH-20.17",
                "CCIP-CCH-20.18",
                "CCIP-CCH-20.19",
                "CCIP-CCH-20.20",
                "CCIP-CCH-20.21",
                "CCIP-CCH-20.22"
            })
    Stream<DynamicTest> followsTheTransitionTable() {
        return cases().map(one ->
                DynamicTest.dynamicTest(
                        one.toString(),
                        () -> {
                            FpgaCache lines = new FpgaCache();
                            CacheTransition transition = transition(one, lines);
                            assertThat("CCIP-CCH-20." + transition.row()).isEqualTo(one.row());
                            assertThat(phases(transition)).isEqualTo(one.phases());
                            assertThat(transition.response()).isEqualTo(one.response());
                            assertThat(lines.state(LINE)).isEqualTo(one.after());
                            assertThat(lines.state(OTHER)).isEqualTo(State.I);
                        }));
    }

    @Test
    @Requirement("CCIP-CCH-21")
    void aLookupHitsIfTheLineIsThereInAnyState() {
        assertThat(cases()).allMatch(one -> transition(one, new FpgaCache()).hit() == one.isHit());
    }

    @Test
    @Requirement({"CCIP-CCH-2", "CCIP-CCH-5", "CCIP-CCH-6"})
    void aReadTakesATagAndIsTrackedOnlyIfItsLineIsKept() {
        assertThat(State.values()).containsExactly(State.M, State.S, State.I);
        for (String read : List.of("RDLINE_I", "RDLINE_S")) {
            FpgaCache lines = new FpgaCache();
            lookup(lines, "RDLINE_S", OTHER);
            CacheTransition transition = lookup(lines, read, LINE);
            boolean kept = read.equals("RDLINE_S");
            assertThat(transition.evicts()).isTrue();
            assertThat(transition.phases().getLast().command())
                    .isEqualTo(kept ? Command.RD_CODE : Command.RD_CUR);
            assertThat(lines.state(OTHER)).isEqualTo(State.I);
            assertThat(lines.state(LINE)).isEqualTo(kept ? State.S : State.I);
        }
    }

    @Test
    @Requirement("CCIP-CCH-22a")
    void aWriteOfALineFetchesNoData() {
        assertThat(cases().filter(one -> one.request().startsWith("WR")))
                .allMatch(one ->
                        transition(one, new FpgaCache()).phases().stream()
                                .noneMatch(phase ->
                                        phase.command() == Command.RD_CODE
                                                || phase.command() == Command.RD_CUR
                                                || phase.command() == Command.RD_INV_OWN));
    }

    /// A line that the cache shares has its data.
    @Test
    @Requirement("CCIP-CCH-22b")
    void aWriteOfBytesObtainsTheDataWithTheOwnership() {
        assertThat(cases().filter(one -> one.request().startsWith("WR")))
                .allSatisfy(one -> {
                    FpgaCache lines = new FpgaCache();
                    hold(one, lines);
                    PendingRequest bytes = request(one.request(), LINE);
                    bytes.length = 5;
                    String expected =
                            one.held().equals("own S")
                                    ? one.phases()
                                    : one.phases().replace("InvItoE", "RdInvOwn");
                    assertThat(phases(lines.lookup(bytes, 0))).isEqualTo(expected);
                });
    }

    private static String phases(CacheTransition transition) {
        return transition.phases().stream()
                .map(phase -> phase.command() + ">" + phase.after())
                .collect(Collectors.joining(" "));
    }

    private static void bring(FpgaCache cache, long address, State state) {
        switch (state) {
            case M -> lookup(cache, "WRLINE_M", address);
            case S -> lookup(cache, "RDLINE_S", address);
            case I -> lookup(cache, "RDLINE_I", address);
        }
    }

    @Test
    @Requirement("CCIP-CCH-1")
    void isDirectMappedWith2048Lines() {
        for (long line = 0; line < FpgaCache.LINES; line++) {
            lookup("RDLINE_S", line);
        }
        for (long line = 0; line < FpgaCache.LINES; line++) {
            assertThat(cache.state(line)).isEqualTo(State.S);
        }
        lookup("RDLINE_S", 3L * FpgaCache.LINES + 7);
        assertThat(cache.state(7)).isEqualTo(State.I);
        assertThat(cache.state(8)).isEqualTo(State.S);
        assertThat((long) FpgaCache.LINES * Line.BYTES).isEqualTo(128 << 10);
    }

    @Test
    @Requirement({"CCIP-CCH-3", "CCIP-CCH-4"})
    void snoopsOfRequestsOnPcieTakeCopiesAway() {
        lookup("WRLINE_M", LINE);
        assertThat(cache.snoop(LINE, true)).isTrue();
        assertThat(cache.state(LINE)).isEqualTo(State.S);
        assertThat(cache.snoop(LINE, true)).isFalse();
        assertThat(cache.snoop(LINE, false)).isFalse();
        assertThat(cache.state(LINE)).isEqualTo(State.I);
    }

    @Test
    @Requirement("CCIP-CCH-3")
    void aStoreOfTheProcessorTakesACopyAway() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment page = arena.allocate(4096, 4096);
            HostMemory memory = new HostMemory(1, Translation.IOMMU);
            long address =
                    memory.map(List.of(page), PageSize.KIB_4, Access.READ_WRITE) / Line.BYTES;
            PendingRequest read = request("RDLINE_S", address);
            read.mapping = memory.find(address);
            cache.lookup(read, 0);
            cache.drained(read, 0);
            assertThat(cache.lookup(read, 0).hit()).isTrue();
            cache.drained(read, 0);
            page.setAtIndex(ValueLayout.JAVA_LONG, 3, 1);
            assertThat(cache.lookup(read, 0).row()).isEqualTo(16);
        }
    }

    private CacheTransition lookup(String request, long address) {
        return lookup(cache, request, address);
    }

    private static CacheTransition lookup(FpgaCache cache, String request, long address) {
        return cache.lookup(request(request, address), 0);
    }

    private static PendingRequest request(String type, long address) {
        boolean read = type.startsWith("RD");
        PendingRequest request = new PendingRequest();
        request.begin(
                read ? PendingRequest.READ : PendingRequest.WRITE,
                read ? ReadType.valueOf(type).code() : WriteType.valueOf(type).code(),
                VirtualChannel.VL0.code(),
                0,
                0,
                1,
                1);
        request.address = address;
        request.length = Line.BYTES;
        return request;
    }
}
