package dev.outboard.dpa.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.checker.Checker;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.machine.RegisterFile.Call;
import dev.outboard.dpa.machine.RunResult.End;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Windows to the registers of a device.
class MmioWindowTest {
    private static final int SEEDS = 60;

    private final RegisterFile device = new RegisterFile();

    /// FAST, its rules in turns, and WEAK by many seeds in all profiles.
    static List<RunMode> runs() {
        List<RunMode> runs = new ArrayList<>();
        runs.add(RunMode.fast());
        runs.add(RunMode.check(new Trace(), 1));
        for (Profile profile : Profile.values()) {
            for (long seed = 1; seed <= 12; seed++) {
                runs.add(RunMode.weak(profile, seed));
            }
        }
        return runs;
    }

    private static ProcessFixture fixture(RunMode mode) {
        return new ProcessFixture(mode);
    }

    private ExternalRegion registers(ProcessFixture fixture) {
        return fixture.process.addRegisters("gadget", RegisterFile.BYTES, device);
    }

    private static int key(ProcessFixture fixture, ExternalRegion region) {
        return fixture.process.external().register(region, Rights.READ_WRITE).number();
    }

    @ParameterizedTest
    @MethodSource("runs")
    @Requirement("DPA-FXW-11")
    void storesReachTheDeviceEachOnceWithTheirSizeAndInOrderPerRegister(RunMode mode) {
        ProcessFixture fixture = fixture(mode);
        ExternalRegion region = registers(fixture);
        int key = key(fixture, region);
        long base = region.address();
        fixture.fine(thread -> {
            thread.configureWindow(key);
            thread.store64(base, 1);
            thread.store64(base, 2);
            thread.store32(base + 8, 3);
            thread.store32(base + 12, -4);
            thread.store32(base + 8, 5);
            thread.store64(base, 2);
            thread.store8(base + 16, 0x1FF);
            thread.store16(base + 18, -1);
            thread.windowWriteback();
        });
        assertThat(writesOf(0))
                .containsExactly(new Call(0, 8, 1), new Call(0, 8, 2), new Call(0, 8, 2));
        // A register may have 8 bytes and be written by halves.
        assertThat(writesOf(8))
                .containsExactly(
                        new Call(8, 4, 3), new Call(12, 4, 0xFFFF_FFFCL), new Call(8, 4, 5));
        assertThat(writesOf(16)).containsExactly(new Call(16, 1, 0xFF), new Call(18, 2, 0xFFFF));
        assertThat(device.writes()).hasSize(8);
        assertThat(device.reads()).isEmpty();
    }

    private List<Call> writesOf(long granule) {
        return device.writes().stream().filter(call -> (call.offset() & -8L) == granule).toList();
    }

    /// How many stores have reached the device when the doorbell after them arrives.
    private static int reachedAtDoorbell(RunMode mode, boolean writeBack) {
        RegisterFile device = new RegisterFile();
        ProcessFixture fixture = fixture(mode);
        ExternalRegion region = fixture.process.addRegisters("gadget", RegisterFile.BYTES, device);
        int key = key(fixture, region);
        AtomicInteger reached = new AtomicInteger();
        fixture.process.thread(
                "writer",
                thread -> {
                    thread.configureWindow(key);
                    thread.store64(region.address(), 1);
                    if (writeBack) {
                        thread.windowWriteback();
                    }
                    thread.configureOutbox(fixture.outbox);
                    thread.store64(
                            AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(1, 0));
                });
        fixture.process.nic(
                "NIC",
                nic -> {
                    nic.awaitDoorbell(AddressMap.SEND_DOORBELL, 1);
                    reached.set(device.writes().size());
                });
        fixture.runsToItsEnd();
        return reached.get();
    }

    @Test
    @Requirement("DPA-FXW-11")
    void aStoreThatIsWrittenBackIsThereBeforeWhatComesNext() {
        assertThat(reachedAtDoorbell(RunMode.fast(), true)).isEqualTo(1);
        Set<Integer> without = new HashSet<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            RunMode mode = RunMode.weak(Profile.SEED, seed);
            assertThat(reachedAtDoorbell(mode, true)).as("seed %d", seed).isEqualTo(1);
            without.add(reachedAtDoorbell(mode, false));
        }
        assertThat(without).containsExactlyInAnyOrder(0, 1);
    }

    /// Three loads of a counter of reads, the last after an invalidation.
    private static long[] threeLoads(RunMode mode, RegisterFile device) {
        ProcessFixture fixture = fixture(mode);
        ExternalRegion region = fixture.process.addRegisters("gadget", RegisterFile.BYTES, device);
        int key = key(fixture, region);
        long counter = region.address() + RegisterFile.COUNTER + 4;
        long[] loaded = new long[3];
        fixture.fine(thread -> {
            thread.configureWindow(key);
            loaded[0] = thread.load32(counter);
            loaded[1] = thread.load32(counter);
            thread.windowReadInv();
            loaded[2] = thread.load32(counter);
        });
        // Nobody reads what the program does not, whatever lies beside it.
        assertThat(device.reads())
                .allMatch(call -> call.offset() == RegisterFile.COUNTER + 4)
                .allMatch(call -> call.lengthBytes() == 4);
        return loaded;
    }

    @Test
    @Requirement("DPA-FXW-11")
    void loadsReadTheDeviceAndMayBeCachedUntilTheyAreInvalidated() {
        assertThat(threeLoads(RunMode.fast(), new RegisterFile())).containsExactly(1, 2, 3);
        assertThat(threeLoads(RunMode.check(new Trace(), 1), new RegisterFile()))
                .containsExactly(1, 2, 3);
        Set<Long> second = new HashSet<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            RegisterFile asked = new RegisterFile();
            long[] loaded = threeLoads(RunMode.weak(Profile.SEED, seed), asked);
            assertThat(loaded[0]).isEqualTo(1);
            assertThat(loaded[2]).isEqualTo(loaded[1] + 1).isEqualTo(asked.reads().size());
            second.add(loaded[1]);
        }
        assertThat(second).containsExactlyInAnyOrder(1L, 2L);
    }

    /// Bytes that a smaller load has not read are asked for, and a pending store is read as it is.
    @Test
    @Requirement("DPA-FXW-11")
    void aCachedHalfOfARegisterIsNotTakenForTheWhole() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            RegisterFile asked = new RegisterFile();
            ProcessFixture fixture = fixture(RunMode.weak(Profile.SEED, seed));
            ExternalRegion region =
                    fixture.process.addRegisters("gadget", RegisterFile.BYTES, asked);
            int key = key(fixture, region);
            long counter = region.address() + RegisterFile.COUNTER;
            long[] loaded = new long[3];
            fixture.fine(thread -> {
                thread.configureWindow(key);
                loaded[0] = thread.load32(counter);
                loaded[1] = thread.load64(counter);
                thread.store32(counter + 8, 77);
                loaded[2] = thread.load32(counter + 8);
            });
            assertThat(loaded[0]).isEqualTo(1);
            assertThat(loaded[1]).isEqualTo(2);
            assertThat(loaded[2]).isIn(77L, 3L);
            assertThat(asked.reads())
                    .contains(new Call(32, 4, 1), new Call(32, 8, 2))
                    .hasSize(loaded[2] == 77 ? 2 : 3);
        }
    }

    @ParameterizedTest
    @MethodSource("runs")
    @Requirement("DPA-FXW-11")
    void whatIsNoRegisterOrFailsEndsTheProcessWithAReport(RunMode mode) {
        CrashReport hole = crash(mode, thread -> thread::store32, RegisterFile.HOLE);
        assertThat(hole.fault()).isEqualTo(Fault.NO_REGISTER);
        assertThat(hole.text())
                .contains("(code 16)")
                .contains("device 'gadget' has no register of 4 bytes at offset 0x38");
        CrashReport read =
                crash(mode, thread -> (at, value) -> thread.load32(at), RegisterFile.BROKEN);
        assertThat(read.fault()).isEqualTo(Fault.DEVICE_FAILED);
        assertThat(read.text())
                .contains("(code 17)")
                .contains("device 'gadget' answered a read of offset 0x30")
                .contains("broken wire");
        CrashReport write = crash(mode, thread -> thread::store32, RegisterFile.BROKEN);
        assertThat(write.fault()).isEqualTo(Fault.DEVICE_FAILED);
        assertThat(write.thread()).isEqualTo("culprit");
        assertThat(write.text()).contains("a write of offset 0x30").contains("broken wire");
        CrashReport outside = crash(mode, thread -> thread::store32, RegisterFile.BYTES);
        assertThat(outside.fault()).isEqualTo(Fault.WINDOW_DENIED);
        CrashReport atomic =
                crash(
                        mode,
                        thread ->
                                (at, value) ->
                                        thread.atomic32(
                                                AtomicOp.ADD, at, value, AtomicOrder.RELAXED),
                        0);
        assertThat(atomic.fault()).isEqualTo(Fault.ATOMIC_ON_WINDOW);
        assertThat(device.writes()).isEmpty();
        assertThat(device.reads()).isEmpty();
    }

    /// What a thread does to a register.
    private interface Touch {
        void at(long address, int value);
    }

    private CrashReport crash(RunMode mode, Function<DpaThread, Touch> touch, long offset) {
        ProcessFixture fixture = fixture(mode);
        ExternalRegion region = registers(fixture);
        int key = key(fixture, region);
        fixture.culprit(thread -> {
            thread.configureWindow(key);
            touch.apply(thread).at(region.address() + offset, 1);
            thread.windowWriteback();
        });
        // Somebody else is in the middle of something when a store fails that was on its way.
        fixture.process.thread(
                "other",
                thread -> {
                    for (int i = 0; i < 20; i++) {
                        thread.load8(AddressMap.GLOBALS);
                    }
                });
        return fixture.crash();
    }

    @ParameterizedTest
    @MethodSource("runs")
    @Requirement("DPA-FXW-11")
    void onlyWindowsReachRegisters(RunMode mode) {
        for (int way = 0; way < 3; way++) {
            ProcessFixture fixture = fixture(mode);
            long base = registers(fixture).address();
            switch (way) {
                case 0 -> fixture.process.host("host", host -> host.copyTo(base, new byte[8]));
                case 1 -> fixture.process.host("host", host -> host.load64(base));
                default -> fixture.process.nic("NIC", nic -> nic.store64(base, 1));
            }
            assertThatThrownBy(fixture::run)
                    .cause()
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("device 'gadget': they are for windows only");
        }
        assertThat(device.writes()).isEmpty();
        assertThat(device.reads()).isEmpty();
    }

    @Test
    @Requirement("DPA-FXW-11")
    void aDeviceIsNotExplored() {
        ProcessFixture fixture = fixture(RunMode.explore(Profile.SEED));
        registers(fixture);
        fixture.culprit(thread -> thread.load8(AddressMap.GLOBALS));
        assertThatThrownBy(fixture::run)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("which device 'gadget' cannot");
        assertThatThrownBy(() -> fixture.process.external().add("no device", ExternalKind.MMIO, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs the device");
    }

    @Test
    @Requirement("DPA-FXW-11")
    void theCheckerFindsAStoreToARegisterThatIsNotWrittenBack() {
        for (int weak = 0; weak < 2; weak++) {
            assertThat(findings(weak == 1, true)).isEmpty();
            assertThat(findings(weak == 1, false)).containsExactly(Rule.MISSING_WINDOW_WRITEBACK);
        }
    }

    private static List<Rule> findings(boolean weak, boolean writeBack) {
        Checker checker = new Checker(Profile.SEED, false);
        RunMode mode =
                weak ? RunMode.checkWeak(checker, Profile.SEED, 1) : RunMode.check(checker, 1);
        ProcessFixture fixture = fixture(mode);
        ExternalRegion region =
                fixture.process.addRegisters("gadget", RegisterFile.BYTES, new RegisterFile());
        int key = key(fixture, region);
        fixture.process.thread(
                "writer",
                thread -> {
                    thread.configureWindow(key);
                    thread.load32(region.address());
                    thread.store32(region.address(), 1);
                    thread.store32(region.address() + 8, 2);
                    if (writeBack) {
                        thread.windowWriteback();
                    }
                });
        RunResult result = fixture.run();
        assertThat(result.end()).isEqualTo(End.DONE);
        return checker.findings().stream().map(Finding::rule).toList();
    }
}
