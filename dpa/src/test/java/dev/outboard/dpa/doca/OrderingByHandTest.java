package dev.outboard.dpa.doca;

import static dev.outboard.dpa.doca.DocaFixture.await;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.MmapBuilder;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.checker.Rule;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Each ordering call of the device functions is needed: without it there is a finding.
class OrderingByHandTest {
    private static final long VALUE = 4711;

    /// What is left out, and whether what is sent is stored through the window.
    enum Omission {
        NOTHING(ByHand.NOTHING, true, null),
        MEMORY_WRITEBACK(ByHand.MEMORY_WRITEBACK, false, Rule.MISSING_MEMORY_WRITEBACK),
        WINDOW_WRITEBACK(ByHand.WINDOW_WRITEBACK, true, Rule.MISSING_WINDOW_WRITEBACK),
        READ_INVALIDATION(ByHand.READ_INVALIDATION, false, Rule.MISSING_READ_INV);

        private final int without;
        private final boolean throughWindow;
        private final Optional<Rule> finding;

        Omission(int without, boolean throughWindow, @Nullable Rule finding) {
            this.without = without;
            this.throughWindow = throughWindow;
            this.finding = Optional.ofNullable(finding);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Requirement({"DPA-LIT-48", "DPA-RD-5", "DPA-SE-7"})
    void whatIsLeftOutIsFound(Omission omission) {
        try (EventSide side = EventSide.in(RunMode.check(Observer.NONE, 1), ByHandStub.APP)) {
            run(side, omission);
            side.expect(omission.finding.stream().toArray(Rule[]::new));
        }
    }

    private static long run(EventSide side, Omission omission) {
        SyncEvent done =
                side.open(
                        new SyncEvent(side.dev)
                                .publisher(side.dpa)
                                .subscriber(Location.CPU)
                                .start());
        DpaAddr desk = desk(side, omission, done);
        side.dpa.launchUpdateAdd(
                null, 0, null, 0, 1, ByHandStub.receive(desk, VALUE, omission.without));
        side.dpa.launchUpdateAdd(
                null, 0, null, 0, 1, ByHandStub.send(desk, VALUE, omission.without));
        await(done, 0);
        return done.get();
    }

    private static DpaAddr desk(EventSide side, Omission omission, SyncEvent done) {
        Rdma rdma = side.rdma();
        EventSide.connect(rdma, side.rdma());
        MmapBuilder memory =
                omission.throughWindow
                        ? Mmap.builder().memrange(64)
                        : Mmap.builder().memrange(side.dpa, side.zeros(64).value(), 64);
        Mmap from =
                side.open(
                        memory.device(side.dev)
                                .permissions(AccessFlag.LOCAL_READ_WRITE)
                                .build()
                                .start());
        RemoteMmap to = side.open(RemoteMmap.fromExport(side.dev, side.host.exportRdma(side.dev)));
        Mmap counter =
                side.open(
                        Mmap.builder()
                                .device(side.dev)
                                .memrange(side.dpa, side.zeros(64).value(), 64)
                                .permissions(AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_WRITE)
                                .build()
                                .start());
        long[] desk = new long[ByHand.DESK_BYTES / Long.BYTES];
        desk[ByHand.RDMA / Long.BYTES] = rdma.dpaHandle();
        desk[ByHand.FROM_KEY / Long.BYTES] = from.handle(side.dpa);
        desk[ByHand.FROM / Long.BYTES] = from.addressFor(side.dpa);
        desk[ByHand.TO_KEY / Long.BYTES] = to.handle(side.dpa);
        desk[ByHand.TO / Long.BYTES] = to.addressFor(side.dpa);
        desk[ByHand.COUNTER_KEY / Long.BYTES] = counter.handle(side.dpa);
        desk[ByHand.COUNTER / Long.BYTES] = counter.addressFor(side.dpa);
        desk[ByHand.DONE / Long.BYTES] = done.handle(side.dpa);
        desk[ByHand.THROUGH_WINDOW / Long.BYTES] = omission.throughWindow ? 1 : 0;
        DpaAddr made = side.dpa.memAlloc(ByHand.DESK_BYTES);
        try (Arena arena = Arena.ofConfined()) {
            side.dpa.copyToDpa(made, arena.allocateFrom(ValueLayout.JAVA_LONG, desk));
        }
        return made;
    }
}
