package dev.outboard.doca.jobs;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.rdma.RdmaState;
import dev.outboard.doca.rdma.TransportType;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// The life of an instance, on every provider.
abstract class InstanceContract extends JobPairContract {
    @Test
    @Requirement({"DJOB-LIFE-1", "DRDMA-CREATE-2"})
    void goesFromResetToInitToConnectedAndBack() {
        assertThat(ours.instance.state()).isEqualTo(RdmaState.RESET);
        assertRefused(DocaError.BAD_STATE, ours.instance::export);
        assertRefused(DocaError.BAD_STATE, () -> ours.instance.connect(new byte[1]));

        ours.start();
        theirs.start();

        assertThat(ours.instance.state()).isEqualTo(RdmaState.INIT);
        assertRefused(DocaError.BAD_STATE, ours.instance::start);
        assertRefused(DocaError.BAD_STATE, () -> ours.instance.addDevice(theirs.dev));
        assertRefused(DocaError.BAD_STATE, () -> ours.instance.recvBufChainLen(2));
        assertRefused(DocaError.BAD_STATE, () -> ours.instance.permissions(AccessFlag.RDMA_READ));
        ours.instance.connect(theirs.instance.export());
        assertThat(ours.instance.state()).isEqualTo(RdmaState.CONNECTED);
        assertThat(theirs.instance.state()).isEqualTo(RdmaState.INIT);
        theirs.instance.connect(ours.instance.export());
        assertThat(theirs.instance.state()).isEqualTo(RdmaState.CONNECTED);
        theirs.submit(new RecvJob(theirs.instance, null, theirs.room(0, 8)));
        assertThat(ours.run(new SendJob(ours.instance, null, ours.data(0, (byte) 7))))
                .isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);

        ours.instance.removeWorkQueue(ours.queue);
        ours.instance.stop();
        assertThat(ours.instance.state()).isEqualTo(RdmaState.RESET);
        ours.instance.stop();
        ours.instance.removeDevice(ours.dev);
        assertRefused(DocaError.BAD_STATE, ours.instance::start);
    }

    @Test
    void aClosedInstanceOrWorkQueueTakesNothing() {
        ours.start();
        DocaDev dev = DocaDev.open(device());
        RdmaInstance closed = new RdmaInstance();
        closed.close();
        assertRefused(DocaError.BAD_STATE, () -> closed.addDevice(dev), "closed");
        dev.close();
        WorkQueue queue = WorkQueue.create(1);
        queue.close();
        queue.close();
        ours.instance.removeWorkQueue(ours.queue);
        assertRefused(DocaError.BAD_STATE, () -> ours.instance.addWorkQueue(queue), "closed");
        ours.instance.addWorkQueue(ours.queue);
    }

    @Test
    void aWorkQueueOfNoInstanceIsNotWaitedFor() {
        WorkQueue queue = WorkQueue.create(1);
        queue.enableEvents();
        assertRefused(DocaError.BAD_STATE, () -> queue.await(Duration.ZERO), "no instance");
    }

    @Test
    @Requirement("DJOB-LIFE-2")
    void permissionsAndAddressesNeedADevice() {
        try (RdmaInstance bare = new RdmaInstance();
                DocaDev dev = DocaDev.open(device())) {
            bare.sendQueueSize(4).recvQueueSize(4).recvBufChainLen(2);
            assertThat(bare.recvBufChainLen()).isEqualTo(2);
            assertRefused(DocaError.BAD_STATE, () -> bare.permissions(AccessFlag.RDMA_READ));
            assertRefused(DocaError.BAD_STATE, () -> bare.grhEnabled(true));
            assertRefused(DocaError.BAD_STATE, () -> bare.gidIndex(0));
            assertRefused(DocaError.BAD_STATE, bare::start);

            bare.addDevice(dev)
                    .permissions(AccessFlag.RDMA_READ, AccessFlag.RDMA_WRITE)
                    .grhEnabled(true)
                    .gidIndex(0);

            assertThat(bare.permissions())
                    .containsExactlyInAnyOrder(AccessFlag.RDMA_READ, AccessFlag.RDMA_WRITE);
            assertRefused(DocaError.IN_USE, () -> bare.addDevice(dev));
            assertRefused(DocaError.NOT_SUPPORTED, () -> bare.grhEnabled(false));
            assertRefused(DocaError.INVALID_VALUE, () -> bare.gidIndex(1));
            bare.removeDevice(dev);
            assertRefused(DocaError.NOT_FOUND, () -> bare.removeDevice(dev));
        }
    }

    @Test
    @Requirement("DJOB-TRANS-1")
    void onlyReliableConnectionsAreSupported() {
        assertThat(TransportType.values()).containsExactly(TransportType.RC, TransportType.DC);

        assertThat(ours.instance.transportType(TransportType.RC)).isSameAs(ours.instance);
        assertRefused(DocaError.NOT_SUPPORTED, () -> ours.instance.transportType(TransportType.DC));
    }

    @Test
    @Requirement("DJOB-LIFE-3")
    void stopsOnlyWithoutJobsAndWithoutAWorkQueue() {
        JobEnd.connect(ours, theirs);
        ours.submit(new RecvJob(ours.instance, null, ours.room(0, 8)));

        assertRefused(DocaError.NOT_PERMITTED, ours.instance::stop);
        assertThat(ours.instance.state()).isEqualTo(RdmaState.CONNECTED);
        assertThat(theirs.run(new SendJob(theirs.instance, null, theirs.data(0, (byte) 1))))
                .isEqualTo(DocaError.SUCCESS);
        assertThat(ours.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertRefused(DocaError.NOT_PERMITTED, ours.instance::stop);
        ours.instance.removeWorkQueue(ours.queue);
        ours.instance.stop();

        assertThat(ours.instance.state()).isEqualTo(RdmaState.RESET);
    }

    @Test
    @Requirement({"DJOB-LIFE-3", "DJOB-LIFE-4"})
    void stopsInErrorWithJobsPendingWhichAreFlushed() {
        JobEnd.connect(ours, theirs);
        theirs.mmap.stop();
        ours.submit(new RecvJob(ours.instance, "receive", ours.room(0, 8)));
        ours.submit(
                ReadWriteJob.read(ours.instance, "read", ours.room(64, 8), ours.remoteData(0, 8)));
        assertThat(ours.retrieve()).isEqualTo(DocaError.IO_FAILED);
        assertThat(ours.event.userData()).isEqualTo("read");
        assertThat(ours.instance.state()).isEqualTo(RdmaState.ERROR);
        assertThat(ours.queue.pending()).isEqualTo(1);

        ours.instance.stop();

        assertThat(ours.instance.state()).isEqualTo(RdmaState.RESET);
        assertThat(ours.queue.retrieve(ours.event)).isEqualTo(DocaError.IO_FAILED);
        assertThat(ours.event.userData()).isEqualTo("receive");
        assertThat(ours.event.result().result()).isEqualTo(DocaError.BAD_STATE);
        assertThat(ours.queue.retrieve(ours.event)).isEqualTo(DocaError.AGAIN);
    }

    @Test
    @Requirement({"DJOB-LIFE-1", "DJOB-LIFE-3", "DJOB-LIFE-4"})
    void bothSidesStartAgainAfterAnError() {
        JobEnd.connect(ours, theirs);
        theirs.submit(new RecvJob(theirs.instance, null, theirs.room(0, 1)));
        assertThat(ours.run(new SendJob(ours.instance, null, ours.data(0, (byte) 1, (byte) 2))))
                .isEqualTo(DocaError.IO_FAILED);
        assertThat(theirs.retrieve()).isEqualTo(DocaError.IO_FAILED);
        assertThat(ours.instance.state()).isEqualTo(RdmaState.ERROR);
        assertThat(theirs.instance.state()).isEqualTo(RdmaState.ERROR);

        ours.instance.stop();
        theirs.instance.stop();
        ours.instance.start();
        theirs.instance.start();
        ours.instance.connect(theirs.instance.export());
        theirs.instance.connect(ours.instance.export());

        theirs.submit(new RecvJob(theirs.instance, null, theirs.room(8, 2)));
        assertThat(ours.run(new SendJob(ours.instance, null, ours.data(8, (byte) 3, (byte) 4))))
                .isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.bytes(8, 2)).containsExactly(3, 4);
    }

    @Test
    void closingFlushesWhatIsPending() {
        JobEnd.connect(ours, theirs);
        ours.submit(new RecvJob(ours.instance, "receive", ours.room(0, 8)));

        ours.instance.close();
        ours.instance.close();

        assertThat(ours.instance.state()).isEqualTo(RdmaState.RESET);
        assertThat(ours.retrieve()).isEqualTo(DocaError.IO_FAILED);
        assertThat(ours.event.result().result()).isEqualTo(DocaError.BAD_STATE);
    }
}
