package dev.outboard.doca.jobs;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.rdma.Be32;
import dev.outboard.testkit.Requirement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What a work queue takes and tells, on every provider.
abstract class WorkQueueContract extends JobPairContract {
    private static final Be32 NO_IMMEDIATE = Be32.ofHost(0);

    @BeforeEach
    void connect() {
        JobEnd.connect(ours, theirs);
    }

    // ---- what it takes --------------------------------------------------------------------------

    @Test
    @Requirement({"DJOB-BASE-1", "DJOB-TYPE-3"})
    void everyJobNamesItsTypeFlagsInstanceAndUserData() {
        Buf local = ours.room(0, 8);
        RemoteBuf remote = ours.remoteRoom(0, 8);
        Object userData = new Object();

        List<Job> jobs =
                List.of(
                        new RecvJob(ours.instance, userData, local),
                        new SendJob(ours.instance, userData, local),
                        ReadWriteJob.write(ours.instance, userData, remote, local),
                        AtomicJob.fetchAdd(ours.instance, userData, remote, local, 1));

        assertThat(jobs)
                .allSatisfy(job -> {
                    assertThat(job.flags()).isEqualTo(Job.NO_FLAGS).isZero();
                    assertThat(job.ctx()).isSameAs(ours.instance);
                    assertThat(job.userData()).isSameAs(userData);
                })
                .extracting(Job::type)
                .containsExactly(
                        JobType.RECV, JobType.SEND, JobType.WRITE, JobType.ATOMIC_FETCH_ADD);
        ReadWriteJob write = (ReadWriteJob) jobs.get(2);
        assertThat(write.dst()).isSameAs(remote);
        assertThat(write.src()).isSameAs(local);
        AtomicJob swap = AtomicJob.cmpSwp(ours.instance, userData, remote, local, 3, 4);
        assertThat(swap.cmpOrAddDest()).isSameAs(remote);
        assertThat(swap.result()).isSameAs(local);
        assertThat(swap.swapOrAdd()).isEqualTo(3);
        assertThat(swap.compare()).isEqualTo(4);
    }

    @Test
    @Requirement("DJAVA-RDMA-3b")
    void numbersArePrintedUnsigned() {
        RemoteBuf remote = ours.remoteRoom(0, 8);
        Buf local = ours.room(0, 8);
        assertThat(AtomicJob.fetchAdd(ours.instance, null, remote, local, -1))
                .asString()
                .startsWith("ATOMIC_FETCH_ADD of 18446744073709551615 to ");
        assertThat(AtomicJob.cmpSwp(ours.instance, null, remote, local, Long.MIN_VALUE, -2))
                .asString()
                .startsWith("ATOMIC_CMP_SWP of ")
                .endsWith(" from 18446744073709551614 to 9223372036854775808");
    }

    @Test
    @Requirement("DJOB-BASE-2")
    void refusesFlags() {
        RdmaInstance ctx = ours.instance;
        Buf local = ours.room(0, 8);
        RemoteBuf remote = ours.remoteRoom(0, 8);
        for (Job job :
                List.of(
                        new RecvJob(JobType.RECV, 1, ctx, null, local),
                        new SendJob(JobType.SEND, 2, ctx, null, local, NO_IMMEDIATE, null),
                        ReadWriteJob.write(ctx, null, remote, local).withFlags(-1),
                        AtomicJob.fetchAdd(ctx, null, remote, local, 1).withFlags(4))) {
            assertThat(ours.queue.submit(job))
                    .as(job.toString())
                    .isEqualTo(DocaError.INVALID_VALUE);
        }
        assertThat(ours.queue.pending()).isZero();
    }

    @Test
    @Requirement("DJOB-TYPE-4")
    void refusesATypeThatIsNotOfItsStructure() {
        RdmaInstance ctx = ours.instance;
        Buf local = ours.room(0, 8);
        RemoteBuf remote = ours.remoteRoom(0, 8);
        for (Job job :
                List.of(
                        new RecvJob(JobType.SEND, 0, ctx, null, local),
                        new SendJob(JobType.RECV, 0, ctx, null, local, NO_IMMEDIATE, null),
                        new SendJob(JobType.WRITE_IMM, 0, ctx, null, local, NO_IMMEDIATE, null),
                        ReadWriteJob.write(ctx, null, remote, local).withType(JobType.SEND),
                        ReadWriteJob.write(ctx, null, remote, local).withType(JobType.READ),
                        ReadWriteJob.read(ctx, null, local, remote).withType(JobType.WRITE),
                        AtomicJob.fetchAdd(ctx, null, remote, local, 1).withType(JobType.READ))) {
            assertThat(ours.queue.submit(job))
                    .as(job.toString())
                    .isEqualTo(DocaError.INVALID_VALUE);
        }
        assertThat(ours.queue.pending()).isZero();
    }

    @Test
    @Requirement("DJOB-BASE-3")
    void takesJobsOfConnectedInstancesThatHaveItOnly() {
        assertThat(ours.queue.submit(new SendJob(theirs.instance, null)))
                .as("not tied")
                .isEqualTo(DocaError.NOT_FOUND);
        try (JobEnd third = new JobEnd(device())) {
            third.start();
            assertThat(third.queue.submit(new SendJob(third.instance, null)))
                    .as("not connected")
                    .isEqualTo(DocaError.BAD_STATE);
        }
        theirs.submit(new RecvJob(theirs.instance, null));
        ours.run(new SendJob(ours.instance, null, ours.data(0, (byte) 1)));
        ours.instance.stop();
        assertThat(ours.queue.submit(new SendJob(ours.instance, null)))
                .as("stopped")
                .isEqualTo(DocaError.BAD_STATE);
    }

    @Test
    @Requirement({"DJOB-BASE-4", "DJOB-BASE-5", "DJOB-WQ-4"})
    void aJobMayBeSubmittedAgainAtOnceAndItsUserDataComesBack() {
        Object userData = new Object();
        Job receive = new RecvJob(theirs.instance, userData);
        Job add =
                AtomicJob.fetchAdd(
                        ours.instance, userData, ours.remoteRoom(0, 8), ours.room(0, 8), 3);
        for (int i = 0; i < 3; i++) {
            theirs.submit(receive);
            ours.submit(add);
        }
        ours.submit(new SendJob(ours.instance, 17));

        JobEvent event = ours.event;
        for (int i = 0; i < 3; i++) {
            assertThat(ours.retrieve()).isEqualTo(DocaError.SUCCESS);
            assertThat(event.userData()).isSameAs(userData);
            assertThat(event.type()).isEqualTo(JobType.ATOMIC_FETCH_ADD);
        }
        assertThat(ours.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertThat(event.userData()).isEqualTo(17);
        assertThat(event.type()).isEqualTo(JobType.SEND);
        assertThat(ours.number(0)).isEqualTo(6);
        assertThat(theirs.number(0)).isEqualTo(9);
        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.event.userData()).isSameAs(userData);
        assertThat(theirs.queue.pending()).isEqualTo(2);
    }

    @Test
    @Requirement({"DJOB-WQ-1", "DFLT-33"})
    void takesAsManyJobsAsItIsDeep() {
        for (int i = 0; i < JobEnd.DEPTH; i++) {
            theirs.submit(new RecvJob(theirs.instance, i));
        }
        assertThat(theirs.queue.submit(new RecvJob(theirs.instance, null)))
                .isEqualTo(DocaError.NO_MEMORY);

        ours.run(new SendJob(ours.instance, null));

        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.event.userData()).isEqualTo(0);
        theirs.submit(new RecvJob(theirs.instance, null));
        assertThat(theirs.queue.pending()).isEqualTo(theirs.queue.depth());
        assertRefused(DocaError.INVALID_VALUE, () -> WorkQueue.create(0));
    }

    // ---- whose it is ----------------------------------------------------------------------------

    @Test
    @Requirement("DJOB-WQ-2")
    void anInstanceTakesOneWorkQueueOnceStarted() {
        assertRefused(DocaError.IN_USE, () -> ours.instance.addWorkQueue(ours.queue));
        try (WorkQueue other = WorkQueue.create(1);
                RdmaInstance stopped = new RdmaInstance().addDevice(ours.dev)) {
            assertRefused(DocaError.IN_USE, () -> ours.instance.addWorkQueue(other));
            assertRefused(DocaError.BAD_STATE, () -> stopped.addWorkQueue(other));
        }
    }

    @Test
    @Requirement("DJOB-WQ-6")
    void isRemovedOnceAllIsRetrievedAndClosedOnceRemoved() {
        ours.submit(new RecvJob(ours.instance, null));
        assertRefused(DocaError.NOT_PERMITTED, () -> ours.instance.removeWorkQueue(ours.queue));
        assertRefused(DocaError.NOT_FOUND, () -> ours.instance.removeWorkQueue(theirs.queue));
        theirs.run(new SendJob(theirs.instance, null));
        assertThat(ours.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertRefused(DocaError.IN_USE, ours.queue::close);

        ours.instance.removeWorkQueue(ours.queue);
        ours.queue.close();

        assertThat(ours.queue.submit(new SendJob(ours.instance, null)))
                .isEqualTo(DocaError.NOT_FOUND);
    }

    // ---- what it tells --------------------------------------------------------------------------

    @Test
    @Requirement({"DJOB-WQ-3", "DJOB-WQ-7", "DJAVA-RDMA-7"})
    void retrieveDrivesTheInstanceAndTellsOfOneJobAtATime() {
        assertThat(ours.queue.retrieve(null)).isEqualTo(DocaError.INVALID_VALUE);
        assertThat(ours.queue.retrieve(ours.event)).isEqualTo(DocaError.AGAIN);
        assertRefused(DocaError.BAD_STATE, ours.event::type);
        theirs.submit(new RecvJob(theirs.instance, null));
        theirs.submit(new RecvJob(theirs.instance, null));
        ours.submit(new SendJob(ours.instance, 1));
        ours.submit(new SendJob(ours.instance, 2));

        assertThat(ours.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertThat(ours.event.userData()).isEqualTo(1);
        assertThat(ours.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertThat(ours.event.userData()).isEqualTo(2);
        assertThat(ours.queue.retrieve(ours.event)).isEqualTo(DocaError.AGAIN);
        assertThat(ours.queue.pending()).isZero();
    }

    @Test
    void oneWorkQueueServesSeveralInstances() throws InterruptedException {
        WorkQueue queue = WorkQueue.create(4);
        queue.enableEvents();
        for (JobEnd end : List.of(ours, theirs)) {
            end.instance.removeWorkQueue(end.queue);
            end.instance.addWorkQueue(queue);
        }

        assertThat(queue.submit(new RecvJob(theirs.instance, "received")))
                .isEqualTo(DocaError.SUCCESS);
        assertThat(queue.submit(new SendJob(ours.instance, "sent"))).isEqualTo(DocaError.SUCCESS);

        assertThat(List.of(waitFor(queue), waitFor(queue)))
                .containsExactlyInAnyOrder("received", "sent");
    }

    @Test
    @Requirement("DJOB-WQ-5")
    void sleepsUntilAJobHasEnded() throws InterruptedException {
        assertRefused(DocaError.BAD_STATE, ours.queue::enableEvents);
        assertRefused(DocaError.BAD_STATE, () -> ours.queue.await(Duration.ZERO));
        WorkQueue queue = WorkQueue.create(1);
        queue.enableEvents();
        ours.instance.removeWorkQueue(ours.queue);
        ours.instance.addWorkQueue(queue);
        assertThat(queue.submit(new RecvJob(ours.instance, "woken"))).isEqualTo(DocaError.SUCCESS);
        assertThat(queue.retrieve(ours.event)).isEqualTo(DocaError.AGAIN);

        theirs.submit(new SendJob(theirs.instance, null));

        assertThat(waitFor(queue)).isEqualTo("woken");
        assertThat(queue.retrieve(ours.event)).isEqualTo(DocaError.AGAIN);
        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);
    }

    /// The user data of the next event, without looking for it more often than told to.
    private Object waitFor(WorkQueue queue) throws InterruptedException {
        while (queue.retrieve(ours.event) == DocaError.AGAIN) {
            assertThat(queue.await(Duration.ofMinutes(1))).isTrue();
        }
        return ours.event.userData();
    }
}
