package dev.outboard.ccip.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.example.JobRegisters;
import dev.outboard.ccip.afu.example.MemoryCopy;
import dev.outboard.ccip.afu.example.MemoryCopy.Setting;
import dev.outboard.ccip.afu.example.UmsgEcho;
import dev.outboard.ccip.checker.CacheTransition.Request;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.host.Fpga;
import dev.outboard.ccip.host.Simulation;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Lookups of the FPGA cache, as the log and the statistics of a run tell them.
class CacheLookupTest {
    /// Lines of the cache: two lines so far apart have the same place in it.
    private static final int APART = 2048;

    /// The table of the catalog: the request, what was brought into the place of its line before,
    /// and what the log has to say: `hit`, `before`, `upi` and `after`.
    private static final List<String> TABLE =
            List.of(
                    "WRLINE_I own:M 1 M WbMtoI I",
                    "WRLINE_I own:S 1 S InvItoE,WbMtoI I",
                    "WRLINE_I - 0 I InvItoE,WbMtoI I",
                    "WRLINE_M own:M 1 M - M",
                    "WRLINE_M own:S 1 S InvItoE M",
                    "WRLINE_M - 0 I InvItoE M",
                    "WRPUSH_I own:M 1 M WbPushMtoI I",
                    "WRPUSH_I own:S 1 S InvItoE,WbPushMtoI I",
                    "WRPUSH_I - 0 I InvItoE,WbPushMtoI I",
                    "WRLINE_I other:M 0 M WbMtoI,InvItoE,WbMtoI I",
                    "WRLINE_M other:M 0 M WbMtoI,InvItoE M",
                    "WRPUSH_I other:M 0 M WbMtoI,InvItoE,WbPushMtoI I",
                    "WRLINE_I other:S 0 S EvctCln,InvItoE,WbMtoI I",
                    "WRLINE_M other:S 0 S EvctCln,InvItoE M",
                    "WRPUSH_I other:S 0 S EvctCln,InvItoE,WbPushMtoI I",
                    "RDLINE_S own:S 1 S - S",
                    "RDLINE_S own:M 1 M - M",
                    "RDLINE_S - 0 I RdCode S",
                    "RDLINE_I own:S 1 S - S",
                    "RDLINE_I own:M 1 M - M",
                    "RDLINE_I - 0 I RdCur I",
                    "RDLINE_I other:M 0 M WbMtoI,RdCur I",
                    "RDLINE_S other:M 0 M WbMtoI,RdCode S",
                    "RDLINE_I other:S 0 S EvctCln,RdCur I",
                    "RDLINE_S other:S 0 S EvctCln,RdCode S");

    private final List<Transaction> log = new ArrayList<>();
    private final Statistics statistics = new Statistics(Profile.INTEGRATED);

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement("CCIP-CCH-8")
    void eachSaysWhatWasFoundAndWhatCameOfIt(Mode mode) {
        try (Fpga fpga = open(new MemoryCopy(), mode)) {
            long own = fpga.prepareBuffer(2L * APART * Line.BYTES).lineAddress();
            for (String row : TABLE) {
                String[] words = row.split(" ");
                bring(fpga, words[1], own);
                request(fpga, words[0], own, 1);
                Transaction lookup = lookups().getLast();

                assertThat(lookup.type()).as(row).isEqualTo(words[0]);
                assertThat(lookup.address()).as(row).isEqualTo(own);
                assertThat(lookup.line()).as(row).isZero();
                assertThat(lookup.vc()).as(row).isEqualTo("VL0");
                assertThat(lookup.hit() + " " + lookup.before() + " " + lookup.upi())
                        .as(row)
                        .isEqualTo(words[2] + " " + words[3] + " " + words[4]);
                assertThat(lookup.after()).as(row).isEqualTo(words[5]);
                assertThat(lookup.victim())
                        .as(row)
                        .isEqualTo(words[1].startsWith("other") ? own + APART : Transaction.NONE);
                belongsToItsRequest(lookup, row);
                own++;
            }
        }
        counts(Request.WRLINE_I, 2, 3, 2);
        counts(Request.WRPUSH_I, 2, 3, 2);
        counts(Request.RDLINE_I, 2, 3, 2);
        // Those that brought a line too.
        counts(Request.WRLINE_M, 2, 13, 2);
        counts(Request.RDLINE_S, 2, 13, 2);
        assertThat(statistics.toString())
                .contains(
                        "\ncache      WRLINE_I 5 lines,",
                        "\n           WRLINE_M 15 lines, 2 hits, 13 misses, 2 evictions\n")
                .doesNotContain("UMSG");
    }

    /// The request stands before the lookup, the response with the same number, channel and
    /// `hit_miss` behind it.
    private void belongsToItsRequest(Transaction lookup, String row) {
        boolean read = lookup.type().startsWith("RD");
        List<Transaction> beats =
                log.stream()
                        .filter(beat -> beat.request() == lookup.request())
                        .filter(beat -> beat.channel() != Channel.CACHE)
                        .filter(beat -> beat.type().startsWith(read ? "RD" : "WR"))
                        .toList();
        assertThat(beats).as(row).hasSize(2);
        assertThat(beats.getFirst().type()).as(row).isEqualTo(lookup.type());
        assertThat(beats.getFirst().address()).as(row).isEqualTo(lookup.address());
        assertThat(beats.getFirst().cycle()).as(row).isLessThanOrEqualTo(lookup.cycle());
        assertThat(beats.getLast().hit()).as(row).isEqualTo(lookup.hit());
        assertThat(beats.getLast().cycle()).as(row).isGreaterThan(lookup.cycle());
        assertThat(log.indexOf(lookup))
                .as(row)
                .isBetween(log.indexOf(beats.getFirst()), log.indexOf(beats.getLast()));
    }

    private void counts(Request request, long hits, long misses, long evictions) {
        assertThat(statistics.cacheHits(request)).as(request.name()).isEqualTo(hits);
        assertThat(statistics.cacheMisses(request)).as(request.name()).isEqualTo(misses);
        assertThat(statistics.cacheEvictions(request)).as(request.name()).isEqualTo(evictions);
    }

    @Test
    @Requirement({"CCIP-CCH-8", "CCIP-CCH-9"})
    void eachLineOfARequestIsLookedUpForItself() {
        try (Fpga fpga = open(new MemoryCopy(), Mode.TIMED)) {
            long first = fpga.prepareBuffer(4L * Line.BYTES).lineAddress();
            request(fpga, "RDLINE_S", first + 2, 1);
            request(fpga, "RDLINE_I", first, 4);

            List<Transaction> four = lookups().subList(1, 5);
            assertThat(four).extracting(Transaction::line).containsExactly(0, 1, 2, 3);
            assertThat(four)
                    .extracting(Transaction::address)
                    .containsExactly(first, first + 1, first + 2, first + 3);
            assertThat(four).extracting(Transaction::hit).containsExactly(0, 0, 1, 0);
            assertThat(four).extracting(Transaction::request).containsOnly(1L);
        }
    }

    @Test
    @Requirement("CCIP-CCH-8")
    void thoseOfUmsgsBelongToNoRequest() {
        long address = umsg(new UmsgEcho());

        assertThat(lookups())
                .extracting(Transaction::type, Transaction::request, Transaction::address)
                .startsWith(tuple("UMSG", -1L, address), tuple("UMSG", -1L, address + 1));
        assertThat(lookups()).extracting(Transaction::line).containsOnly(Transaction.NONE);
        assertThat(lookups().getFirst().upi()).isEqualTo("RdCode");
        // Eight when the lines are set up, and one of the line that was stored to.
        counts(Request.UMSG, 0, 9, 0);
    }

    @Test
    @Requirement("CCIP-MOD-5")
    void skippedQuietCyclesLeaveThemAsTheyAre() {
        umsg(new UmsgEcho());
        List<Transaction> skipping = List.copyOf(log);
        log.clear();
        UmsgEcho echo = new UmsgEcho();
        umsg((rx, tx) -> echo.clock(rx, tx));

        assertThat(log).isEqualTo(skipping);
    }

    /// Sends a UMsg that asks for nothing, after a while in which nothing happened.
    private long umsg(Afu afu) {
        try (Fpga fpga = open(afu, Mode.TIMED)) {
            fpga.step(1000);
            fpga.umsg(0);
            fpga.step(1000);
            fpga.triggerUmsg(3, 0, 7);
            fpga.step(1000);
        }
        return lookups().getFirst().address();
    }

    private Fpga open(Afu afu, Mode mode) {
        Simulation simulation = Simulation.of(Profile.INTEGRATED, afu).mode(mode).build();
        simulation.monitor(new TransactionLog(log::add));
        simulation.monitor(statistics);
        return Fpga.open(simulation);
    }

    private List<Transaction> lookups() {
        return log.stream().filter(beat -> beat.channel() == Channel.CACHE).toList();
    }

    private static void bring(Fpga fpga, String what, long own) {
        if (!what.equals("-")) {
            String request = what.endsWith("M") ? "WRLINE_M" : "RDLINE_S";
            request(fpga, request, what.startsWith("own") ? own : own + APART, 1);
        }
    }

    /// Sends one request on VL0, and waits for its end.
    private static void request(Fpga fpga, String type, long address, int lines) {
        boolean read = type.startsWith("RD");
        Setting setting =
                Setting.DEFAULT
                        .with(read ? MemoryCopy.Mode.READ : MemoryCopy.Mode.WRITE)
                        .with(LineCount.FOUR)
                        .with(
                                read ? ReadType.valueOf(type) : ReadType.RDLINE_I,
                                read ? WriteType.WRLINE_I : WriteType.valueOf(type))
                        .with(VirtualChannel.VL0, VirtualChannel.VL0);
        fpga.writeMmio64(MemoryCopy.SETTING, setting.code());
        fpga.writeMmio64(read ? JobRegisters.SOURCE : JobRegisters.DESTINATION, address);
        fpga.writeMmio64(JobRegisters.LINES, lines);
        fpga.writeMmio64(JobRegisters.CONTROL, JobRegisters.START);
        fpga.waitUntil(() -> fpga.readMmio64(JobRegisters.STATUS) == JobRegisters.DONE, 1_000_000);
    }
}
