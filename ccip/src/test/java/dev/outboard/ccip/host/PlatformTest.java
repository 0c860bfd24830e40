package dev.outboard.ccip.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.CsrSpace;
import dev.outboard.ccip.afu.example.Hello;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.ErrorPolicy;
import dev.outboard.ccip.checker.Report;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Access;
import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Mode;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.trace.TransactionLog;
import dev.outboard.ccip.wire.LineCount;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What host, FIU and AFU have in common on every platform.
class PlatformTest {
    private static final long ENOUGH = 100_000;

    /// Reads one line on a channel when told to, and keeps what came.
    private static final class Reader implements Afu {
        private final CsrSpace csrs =
                new CsrSpace(RegisterAfu.AFU_ID).readWrite(0x40).readOnly(0x48, 0);
        VirtualChannel channel = VirtualChannel.VA;
        long value;
        long responses;

        @Override
        public void clock(Rx rx, Tx tx) {
            csrs.clock(rx, tx);
            if (csrs.written(0x40)) {
                tx.c0.read(ReadType.RDLINE_I, channel, LineCount.ONE, csrs.get(0x40), 1);
            }
            if (rx.c0.isReadResponse()) {
                value = rx.c0.data[0];
                responses++;
            }
        }
    }

    static List<Profile> profiles() {
        return List.of(Profile.PAC_A10, Profile.PAC_N3000, Profile.PAC_D5005, Profile.INTEGRATED);
    }

    @ParameterizedTest
    @MethodSource("profiles")
    @Requirement({"CCIP-PLT-6", "CCIP-MMIO-1", "CCIP-MOD-1"})
    void hostAndAfuMeetInRegisters(Profile profile) {
        Fpga fpga = Fpga.open(Simulation.of(profile, new RegisterAfu()).build());
        fpga.writeMmio64(0x40, 77);
        assertThat(fpga.readMmio64(0x40)).isEqualTo(77);
    }

    @ParameterizedTest
    @MethodSource("profiles")
    @Requirement({"CCIP-PLT-1", "CCIP-PLT-2", "CCIP-MOD-11"})
    void oneAddressLeadsToTheSamePageOnEveryChannel(Profile profile) {
        Reader afu = new Reader();
        Simulation simulation = Simulation.of(profile, afu).policy(ErrorPolicy.LOG).build();
        Fpga fpga = Fpga.open(simulation);
        Buffer buffer = fpga.prepareBuffer(4096);
        Set<VirtualChannel> channels = EnumSet.copyOf(profile.channels());
        channels.add(VirtualChannel.VA);
        long expected = 100;
        for (VirtualChannel channel : channels) {
            afu.channel = channel;
            buffer.segment().set(ValueLayout.JAVA_LONG, 64, ++expected);
            long value = expected;
            fpga.writeMmio64(0x40, buffer.lineAddress() + 1);
            fpga.waitUntil(() -> afu.value == value, ENOUGH);
        }
        buffer.protect(0, 4096, Access.WRITE_ONLY);
        long before = afu.responses;
        for (VirtualChannel channel : channels) {
            afu.channel = channel;
            fpga.writeMmio64(0x40, buffer.lineAddress() + 1);
            fpga.step(500);
        }
        assertThat(afu.responses).isEqualTo(before);
    }

    @Test
    @Requirement("CCIP-PLT-10")
    void addressesOfUpTo42BitsCountInFull() {
        Reader afu = new Reader();
        Simulation simulation = Simulation.of(Profile.PAC_A10, afu).policy(ErrorPolicy.LOG).build();
        Fpga fpga = Fpga.open(simulation);
        Set<Integer> widths = new HashSet<>();
        for (int i = 1; i <= 40; i++) {
            Buffer buffer = fpga.prepareBuffer(4096);
            long value = i;
            buffer.segment().set(ValueLayout.JAVA_LONG, 0, value);
            fpga.writeMmio64(0x40, buffer.lineAddress());
            fpga.waitUntil(() -> afu.value == value, ENOUGH);
            int width = 64 - Long.numberOfLeadingZeros(buffer.lineAddress());
            widths.add(width);
            long responses = afu.responses;
            fpga.writeMmio64(0x40, buffer.lineAddress() ^ 1L << (width - 1));
            fpga.step(500);
            assertThat(afu.responses).isEqualTo(responses);
        }
        assertThat(widths).contains(41);
    }

    /// Bit 41 of a line address is on the wires and counts; there is no bit 42.
    @Test
    @Requirement("CCIP-PLT-11")
    void aLineAddressHas42Bits() {
        for (Profile profile : List.of(Profile.PAC_A10, Profile.INTEGRATED)) {
            long[] line = new long[1];
            RegisterAfu afu =
                    new RegisterAfu((rx, tx) -> {
                        if (rx.c0.mmioWrValid) {
                            long address = line[0] ^ rx.c0.data[0];
                            tx.c0.read(
                                    ReadType.RDLINE_I,
                                    VirtualChannel.VA,
                                    LineCount.ONE,
                                    address,
                                    0);
                            tx.c1.write(
                                    WriteType.WRLINE_I,
                                    VirtualChannel.VA,
                                    LineCount.ONE,
                                    address + 1,
                                    0);
                        }
                    });
            Simulation simulation = Simulation.of(profile, afu).policy(ErrorPolicy.LOG).build();
            try (Fpga fpga = Fpga.open(simulation)) {
                line[0] = fpga.prepareBuffer(4096).lineAddress();
                fpga.writeMmio64(RegisterAfu.SCRATCH, 1L << 42);
                fpga.step(1000);
                assertThat(simulation.checker().counts()).isEmpty();
                fpga.writeMmio64(RegisterAfu.SCRATCH, 1L << 41);
                fpga.step(1000);
            }
            assertThat(simulation.checker().reports())
                    .extracting(Report::violation, Report::channel, Report::address)
                    .containsExactly(
                            tuple(Violation.MEM_UNMAPPED, Channel.TX_C0, line[0] ^ 1L << 41),
                            tuple(Violation.MEM_UNMAPPED, Channel.TX_C1, (line[0] ^ 1L << 41) + 1));
        }
    }

    /// With nothing but the first PCIe link the AFU is found, in the same cycles and by the same
    /// words as with all of them.
    @Test
    @Requirement({"CCIP-DSC-4", "CCIP-PLT-17"})
    void discoversOverTheFirstPcieLinkAlone() {
        Profile whole = Profile.INTEGRATED;
        Map<VirtualChannel, LinkParameters> first =
                Map.of(VirtualChannel.VH0, whole.links().get(VirtualChannel.VH0));
        Profile alone = whole.withName("PCIE-0").withLinks(first);

        assertThat(discovery(alone)).contains("MMIO_READ").isEqualTo(discovery(whole));
    }

    private static String discovery(Profile profile) {
        StringBuilder log = new StringBuilder();
        Simulation simulation = Simulation.of(profile, new Hello()).build();
        simulation.monitor(TransactionLog.to(log));
        try (Fpga fpga = Fpga.open(simulation)) {
            assertThat(fpga.afuId()).isEqualTo(Hello.AFU_ID);
        }
        return log.toString();
    }

    /// The old AFU has more reads and writes under way when the other comes than PCIe could serve
    /// in the reset, and a response on the wires.
    @Test
    @Requirement({"CCIP-MOD-12a", "CCIP-MOD-12c"})
    void anAfuIsReplacedWithoutAResponseOfTheOldOneAndWithTheCacheAsItWas() {
        long[] line = new long[1];
        long[] turn = new long[1];
        long[] responses = new long[1];
        Simulation simulation =
                Simulation.of(
                                Profile.INTEGRATED,
                                new RegisterAfu((rx, tx) -> {
                                    responses[0] = rx.c0.rspValid ? responses[0] + 1 : 0;
                                    if (line[0] != 0 && !rx.softReset) {
                                        useAllLinks(line[0], ++turn[0] % 2 == 0, rx, tx);
                                    }
                                }))
                        .build();
        List<Boolean> hits = new ArrayList<>();
        boolean[] clocked = new boolean[1];
        try (Fpga fpga = Fpga.open(simulation)) {
            Buffer buffer = fpga.prepareBuffer(4096);
            buffer.segment().set(ValueLayout.JAVA_LONG, 0, 99);
            line[0] = buffer.lineAddress();
            fpga.step(1000);
            fpga.setPowerState(PowerState.AP1);
            // Four of them come one after the other.
            fpga.waitUntil(() -> responses[0] == 2, ENOUGH);
            assertThat(simulation.isIdle()).isFalse();
            fpga.reconfigure(
                    new RegisterAfu((rx, tx) -> {
                        if (!clocked[0]) {
                            assertThat(rx.c0.rspValid || rx.c1.rspValid).isFalse();
                            clocked[0] = true;
                        }
                        assertThat(rx.c1.rspValid && !rx.softReset).isFalse();
                        if (rx.c0.rspValid && !rx.softReset) {
                            hits.add(rx.c0.hit());
                            assertThat(rx.c0.mdata()).isEqualTo(2);
                            assertThat(rx.c0.data[0]).isEqualTo(99);
                        }
                        if (rx.c0.mmioWrValid) {
                            tx.c0.read(
                                    ReadType.RDLINE_S,
                                    VirtualChannel.VL0,
                                    LineCount.ONE,
                                    line[0],
                                    2);
                        }
                        if (!rx.softReset) {
                            assertThat(rx.powerState).isEqualTo(PowerState.AP1);
                        }
                    }));
            assertThat(hits).isEmpty();
            fpga.writeMmio64(RegisterAfu.SCRATCH, 1);
            fpga.waitUntil(() -> !hits.isEmpty(), ENOUGH);
        }
        assertThat(hits).containsExactly(true);
    }

    /// One line from the cache and four over PCIe in turn, and writes over PCIe.
    private static void useAllLinks(long line, boolean cached, Rx rx, Tx tx) {
        if (!rx.c0TxAlmFull && cached) {
            tx.c0.read(ReadType.RDLINE_S, VirtualChannel.VL0, LineCount.ONE, line, 1);
        } else if (!rx.c0TxAlmFull) {
            tx.c0.read(ReadType.RDLINE_I, VirtualChannel.VH0, LineCount.FOUR, line + 4, 1);
        }
        if (!rx.c1TxAlmFull) {
            tx.c1.write(WriteType.WRLINE_I, VirtualChannel.VH1, LineCount.ONE, line + 8, 1);
        }
    }

    /// Traffic on all links, and an MMIO read that is not answered.
    @ParameterizedTest
    @EnumSource(Mode.class)
    @Requirement("CCIP-CLK-6")
    void theFrequencyOfPClkMovesNothingToAnotherCycle(Mode mode) {
        for (Profile profile : profiles()) {
            String usual = traffic(profile, mode);
            assertThat(usual).contains("MMIO_READ", "RDLINE_S", "WRLINE_M");
            assertThat(traffic(profile.withPClkMegahertz(77), mode))
                    .as(profile.name())
                    .isEqualTo(usual);
        }
    }

    private static String traffic(Profile profile, Mode mode) {
        long[] line = new long[1];
        RegisterAfu afu =
                new RegisterAfu((rx, tx) -> {
                    if (line[0] != 0 && !rx.c0TxAlmFull && !rx.c1TxAlmFull) {
                        tx.c0.read(ReadType.RDLINE_S, VirtualChannel.VA, LineCount.ONE, line[0], 1);
                        tx.c1.write(
                                WriteType.WRLINE_M,
                                VirtualChannel.VA,
                                LineCount.ONE,
                                line[0] + 1,
                                2);
                    }
                });
        boolean[] mute = new boolean[1];
        Simulation simulation =
                Simulation.of(
                                profile.withMmioTimeout(300),
                                (rx, tx) -> {
                                    if (!mute[0]) {
                                        afu.clock(rx, tx);
                                    }
                                })
                        .mode(mode)
                        .policy(ErrorPolicy.LOG)
                        .build();
        StringBuilder log = new StringBuilder();
        simulation.monitor(TransactionLog.to(log));
        try (Fpga fpga = Fpga.open(simulation)) {
            line[0] = fpga.prepareBuffer(4096).lineAddress();
            fpga.step(300);
            mute[0] = true;
            assertThat(fpga.readMmio64(0)).isEqualTo(-1);
            return log + " in cycle " + simulation.cycle();
        }
    }

    @Test
    @Requirement("CCIP-CSR-21")
    void severalInstancesShareAnId() {
        Fpga one = Fpga.open(Simulation.of(Profile.PAC_A10, new Hello()).build(), Hello.AFU_ID);
        Fpga two = Fpga.open(Simulation.of(Profile.INTEGRATED, new Hello()).build(), Hello.AFU_ID);
        assertThat(one.afuId()).isEqualTo(two.afuId());
        one.writeMmio64(Hello.BUFFER, 0);
        assertThat(two.readMmio64(Hello.BUFFER)).isZero();
    }

    @Test
    @Requirement("CCIP-CSR-1")
    void aFieldIsChangedByReadingAndWritingItsQuadword() {
        Fpga fpga = Fpga.open(Simulation.of(Profile.PAC_A10, new RegisterAfu()).build());
        fpga.writeMmio64(0x48, 0x1122_3344_5566_7788L);
        long field = 0xFFL << 40;
        fpga.writeMmio64(0x48, (fpga.readMmio64(0x48) & ~field) | 0xAAL << 40);
        assertThat(fpga.readMmio64(0x48)).isEqualTo(0x1122_AA44_5566_7788L);
        assertThat(fpga.readMmio64(0x40)).isZero();
        assertThat(fpga.readMmio64(0x50)).isZero();
    }

    @Test
    @Requirement("CCIP-DFL-10")
    void softwareSeesTheBuildingBlocksThatShowThemselves() {
        UUID shown = new UUID(5, 6);
        CsrSpace csrs =
                new CsrSpace(Hello.AFU_ID)
                        .readWrite(0x40)
                        .buildingBlock(0x100, 3, 0, shown)
                        .readWrite(0x118);
        Fpga fpga = Fpga.open(Simulation.of(Profile.PAC_A10, csrs::clock).build());
        assertThat(fpga.features().features()).hasSize(2);
        assertThat(fpga.features().buildingBlock(shown)).isPresent();
        fpga.writeMmio64(0x40, 4);
        fpga.writeMmio64(0x118, 5);
        assertThat(fpga.readMmio64(0x40)).isEqualTo(4);
        assertThat(fpga.readMmio64(0x118)).isEqualTo(5);
    }

    /// The AFU answers a read of a register in the cycle in which it writes a line: the host often
    /// has the answer and finds the line as it was.
    @Test
    @Requirement("CCIP-MMIO-22")
    void anMmioResponseDoesNotWaitForAWriteBeforeIt() {
        Set<Long> found = new HashSet<>();
        for (long delay : List.of(0L, 1000L)) {
            long[] due = {Long.MAX_VALUE};
            int[] tid = new int[1];
            CsrSpace csrs = new CsrSpace(Hello.AFU_ID).readWrite(0x40);
            long[] cycle = new long[1];
            Fpga fpga =
                    Fpga.open(
                            Simulation.of(
                                            Profile.PAC_A10,
                                            (rx, tx) -> {
                                                cycle[0]++;
                                                csrs.clock(rx, tx);
                                                if (rx.c0.mmioRdValid
                                                        && rx.c0.mmioAddress() == 0x100) {
                                                    tx.idle();
                                                    tx.c1.data[0] = 1;
                                                    tx.c1.write(
                                                            WriteType.WRLINE_I,
                                                            VirtualChannel.VA,
                                                            LineCount.ONE,
                                                            csrs.get(0x40),
                                                            0);
                                                    due[0] = cycle[0] + delay;
                                                    tid[0] = rx.c0.tid();
                                                }
                                                if (cycle[0] == due[0]) {
                                                    tx.c2.respond(tid[0], 0);
                                                }
                                            })
                                    .mode(Mode.TIMED)
                                    .build());
            Buffer buffer = fpga.prepareBuffer(64);
            fpga.writeMmio64(0x40, buffer.lineAddress());
            fpga.readMmio64(0x400);
            found.add(buffer.segment().get(ValueLayout.JAVA_LONG, 0));
        }
        assertThat(found).containsExactlyInAnyOrder(0L, 1L);
    }

    /// A request that came before a memory response is due passes it.
    @Test
    @Requirement("CCIP-MMIO-22")
    void anMmioRequestPassesAMemoryReadBeforeIt() {
        List<String> order = new ArrayList<>();
        RegisterAfu afu =
                new RegisterAfu((rx, tx) -> {
                    if (rx.c0.isReadResponse()) {
                        order.add("line");
                    } else if (rx.c0.mmioWrValid && rx.c0.data[0] == 99) {
                        order.add("register");
                    } else if (rx.c0.mmioWrValid) {
                        tx.c0.read(
                                ReadType.RDLINE_I,
                                VirtualChannel.VA,
                                LineCount.ONE,
                                rx.c0.data[0],
                                0);
                    }
                });
        Fpga fpga = Fpga.open(Simulation.of(Profile.PAC_A10, afu).build());
        Buffer buffer = fpga.prepareBuffer(64);
        fpga.writeMmio64(0x40, buffer.lineAddress());
        fpga.step(10);
        fpga.writeMmio64(0x40, 99);
        fpga.step(1000);
        fpga.writeMmio64(0x40, buffer.lineAddress());
        fpga.step(1000);
        fpga.writeMmio64(0x40, 99);
        fpga.step(10);
        assertThat(order).containsExactly("register", "line", "line", "register");
    }

    /// What is on the Tx wires in a cycle depends on the Rx wires of cycles before it.
    @Test
    @Requirement({"CCIP-MOD-4", "CCIP-MOD-2", "CCIP-SIG-1", "CCIP-SIG-3"})
    void everyWireCrossesThePortFromOneEdgeToTheNext() {
        List<String> events = new ArrayList<>();
        long[] clocks = new long[1];
        RegisterAfu afu =
                new RegisterAfu((rx, tx) -> {
                    clocks[0]++;
                    if (rx.c0.mmioRdValid) {
                        events.add("AFU clocked " + clocks[0]);
                    }
                });
        Simulation simulation = Simulation.of(Profile.PAC_A10, afu).build();
        Fpga fpga = Fpga.open(simulation);
        simulation.monitor((cycle, tx, rx, answers) -> {
            if (rx.c0.mmioRdValid) {
                events.add("request " + (cycle + 1));
            }
            if (tx.c2.mmioRdValid) {
                events.add("response " + (cycle + 1));
            }
        });
        fpga.step(50);
        long began = simulation.cycle();
        events.clear();
        fpga.readMmio64(0x40);
        long given = began + 2;
        assertThat(events)
                .containsExactly(
                        "request " + given, "AFU clocked " + given, "response " + (given + 1));
        assertThat(simulation.cycle()).isEqualTo(given + 1);
    }

    /// Of two interrupts with one id, the second sent before the response to the first, the host
    /// sees one or two.
    @Test
    @Requirement("CCIP-INT-4")
    void anInterruptSentTooEarlyMayBeLostInAdversarialModeOnly() {
        assertThat(interruptsSeen(Mode.ADVERSARIAL)).containsExactlyInAnyOrder(1L, 2L);
        assertThat(interruptsSeen(Mode.TIMED)).containsExactly(2L);
    }

    private static Set<Long> interruptsSeen(Mode mode) {
        Set<Long> seen = new HashSet<>();
        for (int seed = 0; seed < 40; seed++) {
            int[] left = new int[1];
            RegisterAfu afu =
                    new RegisterAfu((rx, tx) -> {
                        left[0] = rx.c0.mmioWrValid ? 2 : left[0];
                        if (left[0] > 0) {
                            left[0]--;
                            tx.c1.interrupt(VirtualChannel.VA, 3);
                        }
                    });
            Fpga fpga =
                    Fpga.open(
                            Simulation.of(Profile.PAC_A10, afu)
                                    .mode(mode)
                                    .seed(seed)
                                    .policy(ErrorPolicy.LOG)
                                    .build());
            fpga.registerInterrupt(3);
            fpga.writeMmio64(0x40, 1);
            fpga.step(2000);
            seen.add(fpga.waitForInterrupt(3, 1));
        }
        return seen;
    }

    @Test
    @Requirement("CCIP-PWR-4")
    void aHostResetsAnAfuThatDoesNotSavePower() {
        long[] beats = new long[1];
        boolean[] wasReset = new boolean[1];
        Simulation simulation =
                Simulation.of(
                                Profile.PAC_A10,
                                new RegisterAfu((rx, tx) -> {
                                    wasReset[0] |= rx.softReset;
                                    beats[0] += rx.powerState == PowerState.AP2 ? 1 : 0;
                                }))
                        .build();
        Fpga fpga = Fpga.open(simulation);
        wasReset[0] = false;
        fpga.setPowerState(PowerState.AP2);
        fpga.step(100);
        assertThat(beats[0]).isPositive();
        assertThat(wasReset[0]).isFalse();
        fpga.reset();
        assertThat(wasReset[0]).isTrue();
    }
}
