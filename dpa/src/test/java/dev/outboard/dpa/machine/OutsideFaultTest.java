package dev.outboard.dpa.machine;

import static dev.outboard.dpa.machine.ProcessFixture.assertFault;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Requirement;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What the machine forbids through windows and in the outbox page ends the process, in every mode
/// alike.
class OutsideFaultTest {
    private static final String MODES = "dev.outboard.dpa.machine.ProcessFixture#modes";
    private static final String RUNS = "dev.outboard.dpa.machine.ProcessFixture#runs";
    private static final long SEND = AddressMap.OUTBOX + AddressMap.SEND_DOORBELL;

    private interface Accessor {
        void access(DpaThread thread, long address);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-ERR-6", "DPA-FXW-2", "DPA-FXW-8"})
    void windowsReachWhatTheirKeyCovers(RunMode mode) {
        ProcessFixture none = new ProcessFixture(mode);
        long inside = none.region.address() + 64;
        assertFault(
                none.crash(thread -> thread.load64(thread.window(inside))),
                Fault.WINDOW_NOT_CONFIGURED,
                8,
                inside,
                8);
        ProcessFixture all = new ProcessFixture(mode);
        all.fine(thread -> {
            thread.configureWindow(all.key.number());
            thread.store64(thread.window(AddressMap.external(inside)), 1);
            thread.store64(inside + 120, 2);
            thread.windowWriteback();
        });
        assertThat(all.process.read64(inside)).isEqualTo(1);
        assertThat(all.process.read64(inside + 120)).isEqualTo(2);
        for (long address : new long[] {inside - 8, inside + 128, inside + 8192, 1L << 63}) {
            for (Accessor access : List.<Accessor>of(DpaThread::load64, OutsideFaultTest::store)) {
                ProcessFixture outside = new ProcessFixture(mode);
                CrashReport crash =
                        outside.crash(thread -> {
                            thread.configureWindow(outside.key.number());
                            access.access(thread, address);
                        });
                assertDenied(crash, address, outside.key);
            }
        }
    }

    private static void store(DpaThread thread, long address) {
        thread.store64(address, 3);
    }

    /// DPA-FXW-8: the report names key, address and size.
    private static void assertDenied(CrashReport crash, long address, ExternalKey key) {
        assertFault(crash, Fault.WINDOW_DENIED, 7, address, 8);
        assertThat(crash.detail()).contains("key 0x%x".formatted(key.number()), "region");
        assertThat(crash.text()).contains("8 bytes at 0x%x".formatted(address), crash.detail());
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-ERR-6", "DPA-FXW-2", "DPA-FXW-8"})
    void windowsHaveTheRightsOfTheirKey(RunMode mode) {
        ProcessFixture read = new ProcessFixture(mode);
        ExternalKey readable = read.process.external().register(read.region, Rights.READ);
        long address = read.region.address();
        assertDenied(
                read.crash(thread -> {
                    thread.configureWindow(readable.number());
                    thread.load64(address);
                    thread.store64(address, 1);
                }),
                address,
                readable);
        ProcessFixture write = new ProcessFixture(mode);
        ExternalKey writable = write.process.external().register(write.region, Rights.WRITE);
        assertDenied(
                write.crash(thread -> {
                    thread.configureWindow(writable.number());
                    thread.store64(address, 1);
                    thread.load64(address + 64);
                }),
                address + 64,
                writable);
    }

    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement({"DPA-ERR-6", "DPA-FXW-8"})
    void aDestroyedKeyReachesNothing(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        long address = fixture.region.address() + 64;
        ExternalMemory external = fixture.process.external();
        assertDenied(
                fixture.crash(thread -> {
                    thread.configureWindow(fixture.key.number());
                    thread.load64(address);
                    external.destroy(fixture.key);
                    thread.load64(address);
                }),
                address,
                fixture.key);
    }

    @ParameterizedTest
    @MethodSource(RUNS)
    @Requirement("DPA-ERR-7a")
    void anUnknownKeyLeavesTheWindowAsItWas(RunMode mode) {
        ProcessFixture fixture = new ProcessFixture(mode);
        ExternalKey destroyed = fixture.process.external().register(fixture.region, Rights.READ);
        fixture.process.external().destroy(destroyed);
        fixture.fine(thread -> {
            boolean known = thread.configureWindow(fixture.key.number());
            boolean unknown = thread.configureWindow(fixture.key.number() + 1);
            boolean gone = thread.configureWindow(destroyed.number());
            thread.store64(fixture.region.address() + 64, 5);
            thread.store64(AddressMap.HEAP, (known ? 1 : 0) + (unknown ? 2 : 0) + (gone ? 4 : 0));
            thread.windowWriteback();
        });
        assertThat(fixture.process.read64(AddressMap.HEAP)).isEqualTo(1);
        assertThat(fixture.process.read64(fixture.region.address() + 64)).isEqualTo(5);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-ERR-10", "DPA-FXW-10"})
    void atomicsReachNoWindow(RunMode mode) {
        List<Accessor> atomics =
                List.of(
                        (thread, a) -> thread.atomic64(AtomicOp.ADD, a, 1, AtomicOrder.RELAXED),
                        (thread, a) -> thread.loadReserved64(a, AtomicOrder.RELAXED),
                        (thread, a) -> thread.storeConditional64(a, 1, AtomicOrder.RELAXED));
        for (Accessor atomic : atomics) {
            ProcessFixture fixture = new ProcessFixture(mode);
            long address = fixture.region.address() + 64;
            assertFault(
                    fixture.crash(thread -> {
                        thread.configureWindow(fixture.key.number());
                        atomic.access(thread, address);
                    }),
                    Fault.ATOMIC_ON_WINDOW,
                    14,
                    address,
                    8);
            assertThat(fixture.process.read64(address)).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-ERR-9", "DPA-FXO-8"})
    void theOutboxIsConfiguredFirst(RunMode mode) {
        ProcessFixture none = new ProcessFixture(mode);
        assertFault(
                none.crash(thread -> thread.store64(SEND, 1)),
                Fault.OUTBOX_NOT_CONFIGURED,
                10,
                SEND,
                8);
        for (LongUnaryOperator other :
                List.<LongUnaryOperator>of(number -> number + 1, number -> 0, number -> -1)) {
            ProcessFixture wrong = new ProcessFixture(mode);
            assertFault(
                    wrong.crash(thread -> {
                        if (!thread.configureOutbox((int) other.applyAsLong(wrong.outbox))) {
                            thread.store64(SEND, 1);
                        }
                    }),
                    Fault.OUTBOX_NOT_CONFIGURED,
                    10,
                    SEND,
                    8);
        }
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXO-6")
    void theOutboxTakesStoresOfEightBytesToRegistersOnly(RunMode mode) {
        List<Accessor> refused =
                List.of(
                        (thread, a) -> thread.store32(a, 1),
                        (thread, a) -> thread.store16(a, 1),
                        (thread, a) -> thread.store8(a, 1),
                        (thread, a) -> thread.load64(a),
                        (thread, a) -> thread.load32(a),
                        (thread, a) -> thread.load8(a),
                        (thread, a) -> thread.atomic64(AtomicOp.OR, a, 1, AtomicOrder.RELAXED),
                        (thread, a) -> thread.store64(a + 8, 1),
                        (thread, a) -> thread.store64(AddressMap.OUTBOX, 1));
        for (Accessor access : refused) {
            ProcessFixture fixture = new ProcessFixture(mode);
            CrashReport crash =
                    fixture.crash(thread -> {
                        thread.configureOutbox(fixture.outbox);
                        access.access(thread, SEND);
                    });
            assertThat(crash.fault()).as(crash.text()).isEqualTo(Fault.BAD_OUTBOX_ACCESS);
            assertThat(crash.fault().code()).isEqualTo(9);
        }
    }
}
