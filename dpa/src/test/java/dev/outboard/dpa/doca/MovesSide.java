package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufArray;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.checker.Finding;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// A started context on a card of its own.
final class MovesSide implements AutoCloseable {
    private static final AtomicInteger CARDS = new AtomicInteger();

    final DocaDev dev;
    final DocaDpa dpa;
    private final Device card;
    private final CheckedDevices devices = new CheckedDevices();
    private final List<AutoCloseable> made = new ArrayList<>();

    MovesSide(RunMode mode) {
        this(mode, MovesStub.APP);
    }

    MovesSide(RunMode mode, DpaApp<DpaThread> program) {
        card = Fabric.open("sim://doca-moves-%d/10.9.1.1".formatted(CARDS.incrementAndGet()));
        dev = DocaDev.of(card);
        DpaDevice device = devices.device(MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL), mode);
        dpa = DocaDpa.create(dev, device).app(program).start();
    }

    /// What the checker has found, if there is one.
    List<Finding> findings() {
        return devices.findings();
    }

    /// Words of the host that the DPA may change, which count up from a value.
    Mmap words(long from, int count) {
        Mmap mmap = mmap(count * 8L, AccessFlag.LOCAL_READ_WRITE);
        for (int i = 0; i < count; i++) {
            mmap.segment().setAtIndex(ValueLayout.JAVA_LONG, i, from + i);
        }
        return mmap;
    }

    Mmap mmap(long bytes, AccessFlag... permissions) {
        return keep(Mmap.builder().memrange(bytes).permissions(permissions).build()).start();
    }

    /// An mmap over words of the heap.
    Mmap heap(DpaAddr block, long bytes) {
        return keep(Mmap.builder()
                        .memrange(dpa, block.value(), bytes)
                        .permissions(AccessFlag.LOCAL_READ_WRITE)
                        .build())
                .start();
    }

    BufArray array(Mmap mmap, long elementBytes, long start, int count) {
        BufArray array = BufArray.create(count).params(mmap, elementBytes, start);
        return keep(array.targetDpa(dpa).start());
    }

    SyncEvent event() {
        return keep(
                new SyncEvent(dev)
                        .publisher(dpa)
                        .subscriber(dpa)
                        .publisher(Location.CPU)
                        .subscriber(Location.CPU)
                        .start());
    }

    private <T extends AutoCloseable> T keep(T object) {
        made.addFirst(object);
        return object;
    }

    DpaAddr zeros(int words) {
        DpaAddr block = dpa.memAlloc(words * 8L);
        dpa.memset(block, 0, words * 8);
        return block;
    }

    /// Words of the heap.
    long[] words(DpaAddr from, int count) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment to = arena.allocate(ValueLayout.JAVA_LONG, count);
            dpa.copyFromDpa(to, from);
            return to.toArray(ValueLayout.JAVA_LONG);
        }
    }

    /// Words of an mmap, as the DPA sees them.
    long[] words(Mmap mmap) {
        int count = (int) (mmap.length() / 8);
        DpaAddr block = dpa.memAlloc(mmap.length());
        try (BufInventory inventory = BufInventory.create(1).start()) {
            Buf buf = inventory.byData(mmap, 0, mmap.length());
            dpa.copyToDpa(block, buf);
            return words(block, count);
        } finally {
            dpa.memFree(block);
        }
    }

    static void refused(DocaError error, Runnable call, String why) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(error))
                .hasMessageContaining(why);
    }

    /// A call ends the context with that fault.
    void faults(Runnable call, int code, String... detail) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        DocaException.class,
                        e -> assertThat(e.error()).isEqualTo(DocaError.BAD_STATE))
                .satisfies(e -> {
                    assertThat(e).hasMessageContaining("(code %d)".formatted(code));
                    assertThat(List.of(detail))
                            .allSatisfy(part -> assertThat(e).hasMessageContaining(part));
                });
        assertThat(dpa.peekAtLastError()).isEqualTo(DocaError.BAD_STATE);
    }

    /// Time passes until a kernel has ended the context; the event does not come to 2.
    void awaitFault(SyncEvent event) {
        DocaFixture.awaitFault(dpa, event, 1);
    }

    @Override
    public void close() {
        try {
            for (AutoCloseable object : made) {
                object.close();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            dpa.close();
            dev.close();
            card.close();
        }
    }
}
