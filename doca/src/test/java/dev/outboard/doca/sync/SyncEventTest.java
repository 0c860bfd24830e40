package dev.outboard.doca.sync;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.BareEnvironment;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.TestDevices;
import dev.outboard.doca.blob.Blob;
import dev.outboard.doca.spi.EventCell;
import dev.outboard.doca.spi.ExecutionEnvironment;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SyncEventTest {
    private static final int MEETINGS = 100;

    private static DocaDev dev;

    @BeforeAll
    static void openDevice() {
        dev = TestDevices.open();
    }

    @AfterAll
    static void closeDevice() {
        dev.close();
    }

    static SyncEvent local() {
        return new SyncEvent(dev).publisher(Location.CPU).subscriber(Location.CPU);
    }

    static SyncEvent forPeers() {
        return new SyncEvent(dev).publisher(Location.REMOTE_NET).subscriber(Location.CPU);
    }

    @Test
    @Requirement({"DSE-OBJ-1", "DSE-OBJ-5", "DSE-OP-1", "DSE-OP-2", "DSE-OP-3"})
    void startsAtZeroAndIsSetAddedToAndRead() {
        try (SyncEvent event = local().start()) {
            assertThat(event.get()).isZero();
            event.updateSet(-2);
            assertThat(event.get()).isEqualTo(-2);
            assertThat(event.updateAdd(5)).isEqualTo(-2);
            assertThat(event.get()).isEqualTo(3);
            assertThat(event.updateAdd(-4)).isEqualTo(3);
            assertThat(event.get()).isEqualTo(-1);
        }
    }

    @Test
    @Requirement({"DSE-OP-3", "DJAVA-SE-2"})
    void noAddendOfManyThreadsIsLost() throws Exception {
        try (SyncEvent event = local().start()) {
            AtomicInteger meetings = new AtomicInteger();
            List<FutureTask<long[]>> adders =
                    Stream.generate(() -> new FutureTask<>(() -> addAmongOthers(event, meetings)))
                            .limit(3)
                            .toList();
            adders.forEach(adder -> Thread.ofPlatform().start(adder));
            long adds = 0;
            long sumBefore = 0;
            for (FutureTask<long[]> adder : adders) {
                adds += adder.get()[0];
                sumBefore += adder.get()[1];
            }
            assertThat(event.get()).isEqualTo(adds);
            assertThat(sumBefore).as("sum of the values before").isEqualTo(adds * (adds - 1) / 2);
        }
    }

    /// Adds 1 until threads have come between the adds of others often enough.
    ///
    /// @return how often it added, and the sum of the values before
    private static long[] addAmongOthers(SyncEvent event, AtomicInteger meetings) {
        long adds = 0;
        long sumBefore = 0;
        for (long last = -1; meetings.get() < MEETINGS; adds++) {
            long before = event.updateAdd(1);
            if (before != last + 1) {
                meetings.incrementAndGet();
            }
            sumBefore += before;
            last = before;
        }
        return new long[] {adds, sumBefore};
    }

    @Test
    @Requirement("DSE-OBJ-3")
    void needsAPublisherAndASubscriberOfWhichPeersCanOnlyBeTheFirst() {
        SyncEvent event = new SyncEvent(dev);
        assertRefused(DocaError.BAD_STATE, event::start, "needs one of each");
        event.publisher(Location.CPU).publisher(Location.REMOTE_NET);
        assertRefused(DocaError.BAD_STATE, event::start, "[]", "[CPU, REMOTE_NET]");
        assertRefused(DocaError.INVALID_VALUE, () -> event.subscriber(Location.REMOTE_NET));
        event.subscriber(Location.CPU).start();
        assertRefused(DocaError.BAD_STATE, () -> event.publisher(Location.CPU), "started already");
        assertRefused(DocaError.BAD_STATE, () -> event.subscriber(Location.CPU), "started already");
        event.close();
        SyncEvent nobody = new SyncEvent(dev).subscriber(Location.CPU);
        assertRefused(DocaError.BAD_STATE, nobody::start, "publishers []");
    }

    @ParameterizedTest
    @EnumSource(names = {"REMOTE_PCI", "DPA", "GPU"})
    @Requirement({"DSE-OBJ-4", "DSE-OP-4a", "DSE-EXP-6", "DCORE-DEV-7"})
    void aLocationThatTheDeviceLacksIsNotSupported(Location location) {
        SyncEvent event = new SyncEvent(dev);
        assertThat(SyncEvent.isPublisherSupported(dev.info(), location)).isFalse();
        assertThat(SyncEvent.isSubscriberSupported(dev.info(), location)).isFalse();
        assertRefused(
                DocaError.NOT_SUPPORTED, () -> event.publisher(location), location.toString());
        assertRefused(
                DocaError.NOT_SUPPORTED, () -> event.subscriber(location), location.toString());
    }

    @Test
    @Requirement("DSE-OBJ-4")
    void theDeviceServesThreadsAndPeers() {
        assertThat(SyncEvent.isPublisherSupported(dev.info(), Location.CPU)).isTrue();
        assertThat(SyncEvent.isPublisherSupported(dev.info(), Location.REMOTE_NET)).isTrue();
        assertThat(SyncEvent.isSubscriberSupported(dev.info(), Location.CPU)).isTrue();
        assertThat(SyncEvent.isSubscriberSupported(dev.info(), Location.REMOTE_NET)).isFalse();
    }

    /// Whoever waits has to be declared, and only the CPU can be, so that each event that starts
    /// may be updated and waited for by threads; nobody else has to be refused.
    @Test
    @Requirement("DSE-OP-4a")
    void noEventStartsWithoutTheCpuAsSubscriber() throws InterruptedException {
        int started = 0;
        for (int publishers = 0; publishers < 1 << LOCATIONS.length; publishers++) {
            for (int subscribers = 0; subscribers < 1 << LOCATIONS.length; subscribers++) {
                try (SyncEvent event = new SyncEvent(dev)) {
                    if (starts(event, publishers, subscribers)) {
                        started++;
                        assertThat(isIn(subscribers, Location.CPU)).isTrue();
                        event.updateSet(7);
                        assertThat(event.updateAdd(1)).isEqualTo(7);
                        assertThat(event.waitEq(8, -1, Spin.BUSY)).isEqualTo(8);
                    }
                }
            }
        }
        assertThat(started).as("CPU, or peers, or both publish; the CPU subscribes").isEqualTo(3);
    }

    private static final Location[] LOCATIONS = Location.values();

    private static boolean isIn(int set, Location location) {
        return (set >> location.ordinal() & 1) != 0;
    }

    private static boolean starts(SyncEvent event, int publishers, int subscribers) {
        try {
            for (Location location : LOCATIONS) {
                if (isIn(publishers, location)) {
                    event.publisher(location);
                }
                if (isIn(subscribers, location)) {
                    event.subscriber(location);
                }
            }
            event.start();
            return true;
        } catch (DocaException refused) {
            return false;
        }
    }

    @Test
    @Requirement("DSE-OP-4b")
    void whoWaitsOnTheCpuMayAlsoUpdateThere() throws InterruptedException {
        try (SyncEvent event = forPeers().start()) {
            event.updateSet(1);
            assertThat(event.updateAdd(1)).isEqualTo(1);
            assertThat(event.waitEq(2, -1, Spin.BUSY)).isEqualTo(2);
        }
    }

    @Test
    @Requirement({"DSE-OBJ-5", "DSE-OBJ-6"})
    void keepsItsValueInMemoryOfTheUser() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(24, 8);
            memory.fill((byte) 0x55);
            SyncEvent event = local().cell(memory.asSlice(8, 8)).start();
            assertThat(event.get()).isZero();
            event.updateSet(0x1122334455667788L);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(0x5555555555555555L);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(0x1122334455667788L);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 16)).isEqualTo(0x5555555555555555L);
            assertRefused(
                    DocaError.BAD_STATE, () -> event.cell(memory.asSlice(0, 8)), "started already");
            event.close();
        }
    }

    @Test
    @Requirement("DSE-OBJ-6")
    void memoryOfTheUserMustBe8WritableAlignedNativeBytes() {
        SyncEvent event = local();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(24, 8);
            assertRefused(DocaError.NOT_PERMITTED, () -> event.cell(memory.asSlice(0, 7)), "not 7");
            assertRefused(
                    DocaError.NOT_PERMITTED, () -> event.cell(memory.asSlice(0, 16)), "not 16");
            assertRefused(
                    DocaError.NOT_PERMITTED,
                    () -> event.cell(memory.asSlice(0, 8).asReadOnly()),
                    "read-only");
            assertRefused(
                    DocaError.INVALID_VALUE,
                    () -> event.cell(memory.asSlice(4, 8)),
                    "multiple of 8");
            assertRefused(
                    DocaError.INVALID_VALUE,
                    () -> event.cell(MemorySegment.ofArray(new long[1])),
                    "native");
        }
        try (Arena confined = Arena.ofConfined()) {
            event.cell(confined.allocate(8, 8));
            assertRefused(DocaError.INVALID_VALUE, event::start);
        }
    }

    @Test
    @Requirement("DSE-OBJ-6")
    void keepsItsValueInABufferThatItRetains() {
        try (Mmap mmap =
                        memory(
                                AccessFlag.LOCAL_READ_WRITE,
                                AccessFlag.RDMA_READ,
                                AccessFlag.RDMA_WRITE,
                                AccessFlag.RDMA_ATOMIC);
                BufInventory inventory = BufInventory.create(1).start()) {
            Buf buf = inventory.byAddress(mmap, 16, 8);
            SyncEvent event = forPeers().cell(buf).start();
            event.updateSet(7);
            assertThat(mmap.segment().get(ValueLayout.JAVA_LONG, 16)).isEqualTo(7);
            assertThat(buf.refCount()).isEqualTo(2);
            event.close();
            event.close();
            assertThat(buf.refCount()).isEqualTo(1);
            buf.release();
        }
    }

    @Test
    @Requirement("DSE-OBJ-6")
    void aBufferForTheValueMustBeSinglePermittedAnd8BytesLong() {
        SyncEvent event = local();
        try (Mmap some =
                        memory(
                                AccessFlag.LOCAL_READ_WRITE,
                                AccessFlag.RDMA_READ,
                                AccessFlag.RDMA_WRITE);
                Mmap all =
                        memory(
                                AccessFlag.LOCAL_READ_WRITE,
                                AccessFlag.RDMA_READ,
                                AccessFlag.RDMA_WRITE,
                                AccessFlag.RDMA_ATOMIC);
                BufInventory inventory = BufInventory.create(4).start()) {
            Buf forbidden = inventory.byAddress(some, 0, 8);
            assertRefused(DocaError.NOT_PERMITTED, () -> event.cell(forbidden), "RDMA_ATOMIC");
            Buf tooLong = inventory.byAddress(all, 0, 9);
            assertRefused(DocaError.NOT_PERMITTED, () -> event.cell(tooLong), "not 9");
            Buf list = inventory.byAddress(all, 0, 8);
            list.chain(inventory.byAddress(all, 8, 8));
            assertRefused(DocaError.INVALID_VALUE, () -> event.cell(list), "list");
            assertRefused(DocaError.INVALID_VALUE, () -> event.cell((Buf) null), "buf");
            forbidden.release();
            tooLong.release();
            list.release();
        }
    }

    private static Mmap memory(AccessFlag... permissions) {
        return Mmap.builder().device(dev).memrange(64).permissions(permissions).build().start();
    }

    @Test
    @Requirement("DSE-OBJ-7")
    void startedByItselfItIsNoContextAnyMore() {
        try (SyncEvent event = local().start()) {
            assertRefused(DocaError.BAD_STATE, event::asCtx);
            event.stop();
            assertRefused(DocaError.BAD_STATE, event::asCtx, "without a context");
        }
        SyncEvent closed = local();
        closed.close();
        assertRefused(DocaError.BAD_STATE, closed::asCtx, "closed");
    }

    @Test
    @Requirement("DSE-OBJ-7")
    void asAContextItIsNotUsedDirectly() {
        try (ProgressEngine engine = ProgressEngine.create();
                SyncEvent event = local()) {
            SyncEventCtx ctx = event.asCtx();
            assertThat(event.asCtx()).isSameAs(ctx);
            assertRefused(DocaError.BAD_STATE, event::start, "asCtx()");
            ctx.attach(engine).start();
            assertRefused(DocaError.BAD_STATE, event::get, "asCtx()");
            assertRefused(DocaError.BAD_STATE, () -> event.updateSet(1), "asCtx()");
            assertRefused(DocaError.BAD_STATE, () -> event.updateAdd(1), "asCtx()");
            assertRefused(DocaError.BAD_STATE, () -> event.waitEq(0, -1, Spin.PARK), "asCtx()");
            assertRefused(DocaError.BAD_STATE, event::stop, "asCtx()");
        }
    }

    @Test
    @Requirement({"DSE-OBJ-5", "DSE-OBJ-8"})
    void isUsedOnlyBetweenStartAndStopAndBeginsAgainAtZero() {
        SyncEvent event = local();
        assertRefused(DocaError.BAD_STATE, event::get, "not started");
        event.stop();
        event.start();
        event.updateSet(9);
        assertRefused(DocaError.BAD_STATE, event::start, "started already");
        event.stop();
        assertRefused(DocaError.BAD_STATE, event::get, "not started");
        assertRefused(DocaError.BAD_STATE, () -> event.updateSet(1), "not started");
        assertThat(event.start().get()).isZero();
        event.close();
        event.close();
        assertRefused(DocaError.BAD_STATE, event::get);
        assertRefused(DocaError.BAD_STATE, event::start, "closed");
    }

    @Test
    @Requirement("DSE-OBJ-8")
    void holdsItsDeviceUntilItIsClosed() {
        DocaDev own = TestDevices.open();
        SyncEvent event =
                new SyncEvent(own).publisher(Location.CPU).subscriber(Location.CPU).start();
        assertRefused(DocaError.IN_USE, own::close);
        event.close();
        own.close();
    }

    @Test
    @Requirement("DSE-OBJ-8")
    void closesThoughItsBufferWasTakenBack() {
        DocaDev own = TestDevices.open();
        Mmap memory =
                Mmap.builder()
                        .device(own)
                        .memrange(8)
                        .permissions(
                                AccessFlag.LOCAL_READ_WRITE,
                                AccessFlag.RDMA_READ,
                                AccessFlag.RDMA_WRITE,
                                AccessFlag.RDMA_ATOMIC)
                        .build()
                        .start();
        BufInventory inventory = BufInventory.create(1).start();
        SyncEvent event =
                new SyncEvent(own)
                        .publisher(Location.CPU)
                        .subscriber(Location.CPU)
                        .cell(inventory.byAddress(memory, 0, 8))
                        .start();
        inventory.close();
        event.close();
        memory.close();
        own.close();
    }

    @Test
    @Requirement({"DSE-OBJ-2", "DSE-EXP-1", "DSE-EXP-2"})
    void aPeerLearnsWhereTheValueIs() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(8, 8);
            SyncEvent event = forPeers().cell(memory).start();
            SyncEventRemoteNet known =
                    SyncEventRemoteNet.fromExport(dev, event.exportToRemoteNet());
            assertThat(known.address()).isEqualTo(memory.address());
            assertThat(known.remoteKey()).isNotZero();
            assertThat(known.host()).isEqualTo(dev.protectionDomain().device().address());
            event.close();
        }
    }

    @Test
    @Requirement("DSE-EXP-1")
    void onlyAStartedEventWithPeersAsPublishersCanBeExported() {
        try (SyncEvent event = forPeers();
                SyncEvent without = local().start()) {
            assertRefused(DocaError.BAD_STATE, event::exportToRemoteNet, "not started");
            event.start();
            byte[] first = event.exportToRemoteNet();
            event.stop();
            assertRefused(DocaError.BAD_STATE, event::exportToRemoteNet, "not started");
            assertThat(event.start().exportToRemoteNet()).isNotEqualTo(first);
            assertRefused(DocaError.NOT_SUPPORTED, without::exportToRemoteNet, "[CPU]");
        }
    }

    @Test
    @Requirement({"DSE-EXP-1", "DCORE-MMAP-14"})
    void aDamagedExportIsInvalid() {
        try (SyncEvent event = forPeers().start()) {
            byte[] export = event.exportToRemoteNet();
            byte[] flipped = export.clone();
            flipped[export.length / 2] ^= 1;
            assertInvalid(flipped, "checksum");
            assertInvalid(Arrays.copyOf(export, export.length - 1), "cut");
            assertInvalid(new byte[0], "cut");
            byte[] foreign = export.clone();
            foreign[5] = 9;
            assertInvalid(foreign, "version 9");
            assertInvalid(Blob.encode(Blob.Kind.MMAP, new byte[12]), "MMAP");
            assertInvalid(Blob.encode(Blob.Kind.SYNC_EVENT, new byte[11]), "11 bytes");
            assertInvalid(Blob.encode(Blob.Kind.SYNC_EVENT, new byte[12]), "address of 0 bytes");
        }
    }

    private static void assertInvalid(byte[] export, String why) {
        assertRefused(
                DocaError.INVALID_VALUE,
                () -> SyncEventRemoteNet.fromExport(dev, export),
                "no export of a sync event",
                why);
    }

    @Test
    @Requirement({"DSE-OBJ-2", "DSE-OBJ-9", "DSE-EXP-5", "DSE-EXP-6"})
    void hasNoHandleForProcessorsThatAreNotThere() {
        try (SyncEvent event = forPeers().start()) {
            assertRefused(DocaError.NOT_SUPPORTED, event::exportToRemotePci, "REMOTE_PCI");
            Accelerator accelerator = new Accelerator(ExecutionEnvironment.Kind.GPU);
            assertRefused(
                    DocaError.NOT_PERMITTED, () -> event.handle(accelerator), "no handle for GPU");
        }
    }

    /// An environment that has events, and nothing else.
    private static final class Accelerator extends BareEnvironment {
        private final List<String> made = new ArrayList<>();
        private boolean waits;
        private @Nullable DocaException refusal;

        private Accelerator(Kind kind) {
            super(kind);
        }

        @Override
        public EventCell cell(MemorySegment memory, EventUse declared) {
            made.add("updates %b, waits %b".formatted(declared.updates(), declared.waits()));
            Cell plain = new Cell(memory);
            return new EventCell() {
                @Override
                public long get() {
                    return plain.get();
                }

                @Override
                public void set(long value) {
                    plain.set(value);
                }

                @Override
                public long add(long addend) {
                    return plain.add(addend);
                }

                @Override
                public long handle() {
                    return 0x4711;
                }

                @Override
                public boolean goOn() {
                    plain.add(1);
                    return waits;
                }

                @Override
                public void close() {
                    if (refusal != null) {
                        throw refusal;
                    }
                    made.add("closed");
                }
            };
        }

        @Override
        public String toString() {
            return kind().toString();
        }
    }

    @ParameterizedTest
    @EnumSource(ExecutionEnvironment.Kind.class)
    @Requirement({"DSE-EXP-6", "DSE-OBJ-4"})
    void anEnvironmentUsesIt(ExecutionEnvironment.Kind kind) throws InterruptedException {
        Accelerator accelerator = new Accelerator(kind);
        SyncEvent event =
                new SyncEvent(dev)
                        .publisher(accelerator)
                        .subscriber(Location.CPU)
                        .publisher(accelerator);
        assertRefused(DocaError.BAD_STATE, () -> event.handle(accelerator), "not started");
        assertRefused(
                DocaError.NOT_SUPPORTED,
                () -> event.subscriber(new Accelerator(kind)),
                "cannot be by");
        event.start();
        assertThat(event.handle(accelerator)).isEqualTo(0x4711);
        assertRefused(
                DocaError.NOT_PERMITTED,
                () -> event.handle(new Accelerator(kind)),
                "no handle for " + kind);
        event.updateAdd(5);
        // It goes on while the CPU waits, until it has nothing to do.
        accelerator.waits = true;
        assertThat(event.waitGt(9, -1, Spin.YIELD)).isEqualTo(10);
        accelerator.waits = false;
        assertRefused(
                DocaError.TIME_OUT, () -> waitFor(event, 20), "nobody goes on who could update it");
        accelerator.refusal = new DocaException(DocaError.IN_USE, "somebody waits");
        assertRefused(DocaError.IN_USE, event::stop, "somebody waits");
        assertThat(event.get()).isEqualTo(11);
        accelerator.refusal = null;
        event.close();
        assertThat(accelerator.made).containsExactly("updates true, waits false", "closed");
    }

    private static void waitFor(SyncEvent event, long threshold) {
        try {
            event.waitGt(threshold, -1, Spin.YIELD);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Requirement("DSE-OBJ-4")
    void theCpuDoesWhatWasDeclaredForIt() throws InterruptedException {
        Accelerator accelerator = new Accelerator(ExecutionEnvironment.Kind.DPA);
        try (SyncEvent event =
                new SyncEvent(dev).publisher(accelerator).subscriber(accelerator).start()) {
            assertRefused(DocaError.NOT_PERMITTED, event::get, "none of them the CPU");
            assertRefused(
                    DocaError.NOT_PERMITTED, () -> event.updateSet(1), "none of them the CPU");
        }
        try (SyncEvent event =
                new SyncEvent(dev).publisher(Location.CPU).subscriber(accelerator).start()) {
            event.updateSet(3);
            assertThat(event.get()).isEqualTo(3);
            assertRefused(
                    DocaError.NOT_PERMITTED, () -> waitFor(event, 0), "the CPU has to be one");
        }
    }
}
