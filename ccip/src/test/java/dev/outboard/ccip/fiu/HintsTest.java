package dev.outboard.ccip.fiu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.ccip.checker.CacheTransition;
import dev.outboard.ccip.checker.CacheTransition.Command;
import dev.outboard.ccip.checker.CacheTransition.State;
import dev.outboard.ccip.fiu.Port.Response;
import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What the five types of memory requests do to the caches (CCI-P manual 1.2.3, 1.3.2): each beside
/// one that does otherwise.
class HintsTest {
    private static final int LINES = 64;

    /// Cycles between two means that are not the same by chance.
    private static final double APART = 5;

    private final List<CacheTransition> lookups = new ArrayList<>();

    private Port integrated() {
        return watched(new Port(Profile.INTEGRATED));
    }

    private Port watched(Port port) {
        port.fiu.onLookup(lookup -> lookups.add(lookup.transition));
        return port;
    }

    private static void write(Port port, WriteType type, VirtualChannel channel, int from) {
        for (int i = 0; i < LINES; i++) {
            port.tx.c1.write(type, channel, LineCount.ONE, port.base + from + i, i);
            Arrays.fill(port.tx.c1.data, i);
            port.edge().settle();
        }
        port.responses.clear();
    }

    /// The mean latency of a read of each line, one after the other.
    private static double read(Port port, ReadType type, VirtualChannel channel, int from) {
        port.responses.clear();
        long cycles = 0;
        for (int i = 0; i < LINES; i++) {
            long sent = port.cycle;
            port.tx.c0.read(type, channel, LineCount.ONE, port.base + from + i, i);
            port.edge().settle();
            cycles += port.reads().getLast().cycle() - sent;
        }
        return (double) cycles / LINES;
    }

    private static double read(Port port, VirtualChannel channel, int from) {
        return read(port, ReadType.RDLINE_I, channel, from);
    }

    @Test
    @Requirement({"CCIP-MEM-3a", "CCIP-GUI-3a"})
    void aLineReadWithRdLineIIsNotKept() {
        Port port = integrated();
        read(port, ReadType.RDLINE_I, VirtualChannel.VL0, 0);
        read(port, ReadType.RDLINE_I, VirtualChannel.VL0, 0);
        assertThat(port.reads()).noneMatch(Response::hit);
        assertThat(lookups).allMatch(lookup -> lookup.after() == State.I);
        // So a stream of reads throws nothing out that is worth keeping, which RdLine_S does.
        assertThat(lookups).noneMatch(CacheTransition::evicts);
        lookups.clear();
        read(port, ReadType.RDLINE_S, VirtualChannel.VL0, 0);
        read(port, ReadType.RDLINE_S, VirtualChannel.VL0, 0);
        assertThat(lookups.subList(LINES, 2 * LINES)).noneMatch(CacheTransition::evicts);
    }

    @Test
    @Requirement("CCIP-MEM-3b")
    void aLineReadWithRdLineSIsKeptAsShared() {
        Port port = integrated();
        double miss = read(port, ReadType.RDLINE_S, VirtualChannel.VL0, 0);
        assertThat(port.reads()).noneMatch(Response::hit);
        double hit = read(port, ReadType.RDLINE_S, VirtualChannel.VL0, 0);
        assertThat(port.reads()).allMatch(Response::hit);
        assertThat(lookups.subList(LINES, 2 * LINES))
                .allMatch(lookup -> lookup.before() == State.S);
        assertThat(hit).isLessThan(miss - APART);
    }

    @Test
    @Requirement({"CCIP-MEM-4a", "CCIP-MEM-6a"})
    void linesWrittenWithWrLineIAndWrPushIAreNotKeptInTheFpgaCache() {
        Port port = integrated();
        write(port, WriteType.WRLINE_I, VirtualChannel.VL0, 0);
        write(port, WriteType.WRPUSH_I, VirtualChannel.VL0, LINES);
        read(port, VirtualChannel.VL0, 0);
        assertThat(port.reads()).noneMatch(Response::hit);
        read(port, VirtualChannel.VL0, LINES);
        assertThat(port.reads()).noneMatch(Response::hit);
    }

    @Test
    @Requirement({"CCIP-MEM-5", "CCIP-GUI-3b"})
    void aLineWrittenWithWrLineMIsKeptAsModifiedAndServedFromThere() {
        Port port = integrated();
        write(port, WriteType.WRLINE_M, VirtualChannel.VL0, 0);
        lookups.clear();
        double kept = read(port, VirtualChannel.VL0, 0);
        assertThat(port.reads()).allMatch(Response::hit);
        assertThat(lookups).allMatch(lookup -> lookup.before() == State.M);
        write(port, WriteType.WRLINE_I, VirtualChannel.VL0, LINES);
        assertThat(kept).isLessThan(read(port, VirtualChannel.VL0, LINES) - APART);
        // Also where the cache shared the line before.
        read(port, ReadType.RDLINE_S, VirtualChannel.VL0, 2 * LINES);
        write(port, WriteType.WRLINE_M, VirtualChannel.VL0, 2 * LINES);
        lookups.clear();
        read(port, VirtualChannel.VL0, 2 * LINES);
        assertThat(lookups).hasSize(LINES).allMatch(lookup -> lookup.before() == State.M);
    }

    @Test
    @Requirement("CCIP-MEM-4b")
    void wrLineIAdvisesTheProcessorOfNothing() {
        Port port = new Port(Profile.PAC_A10);
        write(port, WriteType.WRLINE_I, VirtualChannel.VA, 0);
        double written = read(port, VirtualChannel.VA, 0);
        double untouched = read(port, VirtualChannel.VA, LINES);
        write(port, WriteType.WRPUSH_I, VirtualChannel.VA, 2 * LINES);
        double pushed = read(port, VirtualChannel.VA, 2 * LINES);
        assertThat(Math.abs(written - untouched)).isLessThan(APART);
        assertThat(pushed).isLessThan(written - APART);
    }

    /// On each channel, whatever the FPGA cache held of the line.
    @Test
    @Requirement({"CCIP-MEM-4b", "CCIP-MEM-6b", "CCIP-PLT-34a", "CCIP-PLT-34b"})
    void wrPushIBringsTheLineIntoTheLastLevelCacheAndWrLineIDoesNot() {
        for (Profile profile : List.of(Profile.PAC_A10, Profile.INTEGRATED)) {
            for (VirtualChannel channel : profile.channels()) {
                Port port = new Port(profile);
                double memory = read(port, VirtualChannel.VH0, 0);
                write(port, WriteType.WRLINE_I, channel, LINES);
                write(port, WriteType.WRPUSH_I, channel, 2 * LINES);
                String where = profile.name() + " " + channel;
                assertThat(read(port, VirtualChannel.VH0, LINES))
                        .as(where)
                        .isGreaterThan(memory - APART);
                assertThat(read(port, VirtualChannel.VH0, 2 * LINES))
                        .as(where)
                        .isLessThan(memory - APART);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RDLINE_S", "RDLINE_I"})
    @Requirement({"CCIP-MEM-4b", "CCIP-MEM-6b"})
    void aWriteDoesToTheLastLevelCacheWhatItDoesAlsoWhenTheFpgaCacheHasTheLine(ReadType type) {
        Port port = integrated();
        double memory = read(port, VirtualChannel.VH0, 3 * LINES);
        // Both caches have these lines, or the last level cache alone.
        read(port, type, VirtualChannel.VL0, 0);
        write(port, WriteType.WRLINE_I, VirtualChannel.VL0, 0);
        assertThat(read(port, VirtualChannel.VH0, 0)).isGreaterThan(memory - APART);
        // The FPGA cache alone has these.
        write(port, WriteType.WRLINE_M, VirtualChannel.VL0, LINES);
        write(port, WriteType.WRPUSH_I, VirtualChannel.VL0, LINES);
        assertThat(read(port, VirtualChannel.VH0, LINES)).isLessThan(memory - APART);
    }

    @Test
    @Requirement("CCIP-MEM-6b")
    void allLinesOfAWrPushIArePushed() {
        Port port = new Port(Profile.PAC_A10);
        double memory = read(port, VirtualChannel.VH0, LINES);
        for (int i = 0; i < LINES; i += LineCount.FOUR.lines()) {
            port.tx.c1.write(
                    WriteType.WRPUSH_I, VirtualChannel.VH0, LineCount.FOUR, port.base + i, i);
            port.edge();
            for (int line = 1; line < LineCount.FOUR.lines(); line++) {
                port.tx.c1.writeNext(WriteType.WRPUSH_I, port.base + i + line);
                port.edge();
            }
            port.settle();
        }
        assertThat(read(port, VirtualChannel.VH0, 0)).isLessThan(memory - APART);
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"CCIP-PLT-33a", "CCIP-PLT-33b"})
    void whatGoesToUpiLooksUpTheFpgaCacheAndNothingElseDoes(VirtualChannel channel) {
        Port port = integrated();
        write(port, WriteType.WRLINE_I, channel, 0);
        lookups.clear();
        read(port, channel, 0);
        List<Response> overUpi =
                port.reads().stream().filter(r -> r.channel() == VirtualChannel.VL0).toList();
        assertThat(lookups).hasSize(overUpi.size());
        switch (channel) {
            case VA -> assertThat(overUpi).hasSizeBetween(1, LINES - 1);
            case VL0 -> assertThat(overUpi).hasSize(LINES);
            default -> assertThat(overUpi).isEmpty();
        }
    }

    @Test
    @Requirement("CCIP-PLT-33c")
    void aHitStaysOnTheChipAndAMissLeavesIt() {
        Port port = integrated();
        double miss = read(port, ReadType.RDLINE_S, VirtualChannel.VL0, 0);
        assertThat(lookups).allMatch(HintsTest::usesUpi);
        lookups.clear();
        double hit = read(port, ReadType.RDLINE_S, VirtualChannel.VL0, 0);
        assertThat(lookups).hasSize(LINES).noneMatch(HintsTest::usesUpi);
        assertThat(hit).isLessThan(miss - APART);
    }

    /// A hit waits for no cache of the processor either.
    @Test
    @Requirement("CCIP-PLT-33c")
    void aHitIsFasterThanWhatTheLastLevelCacheServes() {
        Port port = integrated();
        read(port, ReadType.RDLINE_I, VirtualChannel.VL0, 0);
        double lastLevel = read(port, ReadType.RDLINE_S, VirtualChannel.VL0, 0);
        assertThat(port.reads()).noneMatch(Response::hit);
        assertThat(read(port, VirtualChannel.VL0, 0)).isLessThan(lastLevel - APART);
    }

    /// A link that takes many cycles for a line: only what leaves the chip waits for it.
    @Test
    @Requirement("CCIP-PLT-33c")
    void hitsDoNotOccupyTheLink() {
        int half = 16;
        int cost = half * LinkParameters.CYCLE;
        LinkParameters slow = new LinkParameters(20, 118, cost, cost, 256);
        Port port = watched(new Port(Profile.INTEGRATED.withLink(VirtualChannel.VL0, slow)));
        long toMemory = 2L * half * LINES;
        assertThat(cyclesOf(port, null)).isGreaterThan(toMemory);
        assertThat(cyclesOf(port, null)).isLessThan(toMemory / 4);
        assertThat(cyclesOf(port, WriteType.WRLINE_M)).isLessThan(toMemory / 4);
        assertThat(cyclesOf(port, WriteType.WRLINE_M)).isLessThan(toMemory / 4);
        assertThat(cyclesOf(port, WriteType.WRLINE_I)).isGreaterThan(toMemory);
        assertThat(cyclesOf(port, WriteType.WRLINE_M)).isGreaterThan(toMemory);
    }

    /// How long the lines take that are written one right after the other, or read without a type,
    /// and then one that the cache never has.
    private static long cyclesOf(Port port, @Nullable WriteType type) {
        long began = port.cycle;
        for (int i = 0; i < LINES; i++) {
            if (type == null) {
                port.tx.c0.read(
                        ReadType.RDLINE_S, VirtualChannel.VL0, LineCount.ONE, port.base + i, i);
            } else {
                port.tx.c1.write(type, VirtualChannel.VL0, LineCount.ONE, port.base + i, i);
            }
            port.edge();
        }
        port.read(2 * LINES, LineCount.ONE, VirtualChannel.VL0, LINES).edge();
        return port.settle().cycle - began;
    }

    private static boolean usesUpi(CacheTransition lookup) {
        return lookup.phases().stream().anyMatch(phase -> phase.command() != Command.NONE);
    }

    /// A byte write of a platform that has both byte writes and the cache.
    @ParameterizedTest
    @EnumSource(names = {"WRLINE_I", "WRLINE_M", "WRPUSH_I"})
    @Requirement("CCIP-BYT-13d")
    void aByteWriteIsCachedAsALineOfItsType(WriteType type) {
        Port bytes = watched(new Port(Profile.INTEGRATED.withByteEnable(true)));
        bytes.tx.c1.writeBytes(type, VirtualChannel.VL0, bytes.base, 0, 4, 4);
        bytes.edge().settle();
        List<CacheTransition> ofBytes = List.copyOf(lookups);
        lookups.clear();
        Port line = integrated();
        line.tx.c1.write(type, VirtualChannel.VL0, LineCount.ONE, line.base, 0);
        line.edge().settle();
        assertThat(ofBytes).hasSize(1);
        assertThat(ofBytes.getFirst().row()).isEqualTo(lookups.getFirst().row());
        assertThat(ofBytes.getFirst().after())
                .isEqualTo(lookups.getFirst().after())
                .isEqualTo(type == WriteType.WRLINE_M ? State.M : State.I);
        // And what it left is what the next one finds.
        bytes.tx.c1.writeBytes(type, VirtualChannel.VL0, bytes.base, 0, 4, 4);
        bytes.edge().settle();
        assertThat(lookups.getLast().before()).isEqualTo(ofBytes.getFirst().after());
        // On PCIe it takes away what the cache has.
        bytes.tx.c1.writeBytes(type, VirtualChannel.VH0, bytes.base, 0, 4, 4);
        bytes.edge().settle();
        read(bytes, VirtualChannel.VL0, 0);
        assertThat(lookups.get(lookups.size() - LINES).before()).isEqualTo(State.I);
    }

    @Test
    @Requirement("CCIP-BYT-13d")
    void bytesArePushedAsLinesAre() {
        Port port = new Port(Profile.PAC_D5005);
        for (int i = 0; i < 2 * LINES; i++) {
            WriteType type = i < LINES ? WriteType.WRLINE_I : WriteType.WRPUSH_I;
            port.tx.c1.writeBytes(type, VirtualChannel.VH0, port.base + i, i, 4, 4);
            port.edge().settle();
        }
        double memory = read(port, VirtualChannel.VH0, 0);
        assertThat(read(port, VirtualChannel.VH0, LINES)).isLessThan(memory - APART);
    }

    /// What a write says on UPI first, of bytes and of a line: when the cache has nothing of the
    /// line, and when it shares it.
    @ParameterizedTest
    @EnumSource(names = {"WRLINE_I", "WRLINE_M", "WRPUSH_I"})
    @Requirement({"CCIP-CCH-22a", "CCIP-CCH-22b"})
    void aByteWriteThatMissesObtainsTheDataBeforeIt(WriteType type) {
        Port port = watched(new Port(Profile.INTEGRATED.withByteEnable(true)));
        assertThat(obtains(port, type, 0, true)).isEqualTo(Command.RD_INV_OWN);
        assertThat(obtains(port, type, 1, false)).isEqualTo(Command.INV_I_TO_E);
        port.tx.c0.read(ReadType.RDLINE_S, VirtualChannel.VL0, LineCount.ONE, port.base + 2, 0);
        port.edge().settle();
        assertThat(obtains(port, type, 2, true)).isEqualTo(Command.INV_I_TO_E);
    }

    private Command obtains(Port port, WriteType type, int line, boolean bytes) {
        if (bytes) {
            port.tx.c1.writeBytes(type, VirtualChannel.VL0, port.base + line, 0, 4, 4);
        } else {
            port.tx.c1.write(type, VirtualChannel.VL0, LineCount.ONE, port.base + line, 0);
        }
        port.edge().settle();
        CacheTransition lookup = lookups.getLast();
        return lookup.phases().getFirst().command();
    }
}
