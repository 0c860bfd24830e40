package dev.outboard.dpa.doca;

import static dev.outboard.dpa.doca.DocaFixture.await;

import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaCall;
import dev.outboard.fabric.Device;

/// One whose kernels post.
final class KernelPeer implements PeerOfEvents {
    private final EventSide own;
    private final EventSide side;
    private final Rdma rdma;

    KernelPeer(Device card, EventSide side) {
        this.side = side;
        own = EventSide.on(card);
        rdma = own.rdma();
        EventSide.connect(rdma, side.rdma());
    }

    @Override
    public void tell(SyncEvent event, long seed, long value, boolean isAdd) {
        run(EventStepsStub.signal(desk(event), seed, value, isAdd ? 1 : 0));
    }

    @Override
    public void addOften(SyncEvent event, int times, long addend) {
        run(EventStepsStub.signalOften(desk(event), times, addend));
    }

    private DpaAddr desk(SyncEvent event) {
        return own.desk(rdma, side, event);
    }

    private void run(DpaCall<DpaThread> kernel) {
        try (SyncEvent sent =
                new SyncEvent(own.dev).publisher(own.dpa).subscriber(Location.CPU).start()) {
            own.dpa.launchUpdateAdd(null, 0, sent, 1, 1, kernel);
            await(sent, 0);
        }
    }

    @Override
    public void close() {
        own.close();
    }
}
