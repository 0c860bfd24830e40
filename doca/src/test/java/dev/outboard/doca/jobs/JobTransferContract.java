package dev.outboard.doca.jobs;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.rdma.Be32;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaAddress;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.rdma.RdmaState;
import dev.outboard.doca.rdma.ReceiveTask;
import dev.outboard.doca.rdma.RecvOpcode;
import dev.outboard.doca.rdma.SendImmTask;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What the jobs of a connected pair do, on every provider.
abstract class JobTransferContract extends JobPairContract {
    private static final Be32 IMMEDIATE = Be32.ofHost(0xcafe_0001);

    @BeforeEach
    void connect() {
        JobEnd.connect(ours, theirs);
    }

    // ---- the types ------------------------------------------------------------------------------

    @Test
    @Requirement({"DJOB-TYPE-1", "DJOB-TYPE-2", "DJOB-TYPE-3", "DRDMA-CONF-4", "DJAVA-RDMA-7"})
    void allEightTypesRunWithoutBeingEnabled() {
        assertThat(JobType.values())
                .extracting(Enum::name)
                .containsExactly(
                        "RECV",
                        "SEND",
                        "SEND_IMM",
                        "READ",
                        "WRITE",
                        "WRITE_IMM",
                        "ATOMIC_CMP_SWP",
                        "ATOMIC_FETCH_ADD");
        assertThat(Job.class.getPermittedSubclasses())
                .containsExactly(RecvJob.class, SendJob.class, ReadWriteJob.class, AtomicJob.class);
        for (int i = 0; i < 3; i++) {
            theirs.submit(new RecvJob(theirs.instance, i, theirs.room(64L * i, 64)));
        }
        Buf src = ours.data(0, (byte) 1, (byte) 2);
        Buf result = ours.room(512, 8);
        RemoteBuf number = ours.remoteRoom(1024, 8);
        RdmaInstance ctx = ours.instance;

        assertSucceeds(new SendJob(ctx, null, src));
        assertSucceeds(new SendJob(ctx, null, src, IMMEDIATE));
        assertSucceeds(ReadWriteJob.write(ctx, null, ours.remoteRoom(2048, 8), src));
        assertSucceeds(ReadWriteJob.writeImm(ctx, null, ours.remoteRoom(2050, 8), src, IMMEDIATE));
        assertSucceeds(ReadWriteJob.read(ctx, null, ours.room(600, 8), ours.remoteData(2048, 4)));
        assertSucceeds(AtomicJob.fetchAdd(ctx, null, number, result, 5));
        assertSucceeds(AtomicJob.cmpSwp(ctx, null, number, result, 9, 5));

        for (RecvOpcode opcode : RecvOpcode.values()) {
            assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);
            assertThat(theirs.event.type()).isEqualTo(JobType.RECV);
            assertThat(theirs.event.result().opcode()).isEqualTo(opcode);
        }
        assertThat(theirs.bytes(0, 3)).containsExactly(1, 2, 0);
        assertThat(theirs.bytes(64, 3)).containsExactly(1, 2, 0);
        assertThat(theirs.bytes(128, 1)).containsExactly(0);
        assertThat(theirs.bytes(2048, 5)).containsExactly(1, 2, 1, 2, 0);
        assertThat(ours.bytes(600, 5)).containsExactly(1, 2, 1, 2, 0);
        assertThat(ours.number(512)).isEqualTo(5);
        assertThat(theirs.number(1024)).isEqualTo(9);
    }

    private void assertSucceeds(Job job) {
        assertThat(ours.run(job)).as(job.toString()).isEqualTo(DocaError.SUCCESS);
        assertThat(ours.event.result().result()).isEqualTo(DocaError.SUCCESS);
    }

    @Test
    @Requirement({"DJOB-ATOM-1", "DRDMA-FADD-4"})
    void aFetchAndAddIgnoresTheValueToCompare() {
        theirs.mmap.segment().set(ValueLayout.JAVA_LONG, 0, 40);
        RemoteBuf number = ours.remoteRoom(0, 8);
        Buf result = ours.room(8, 8);

        assertSucceeds(AtomicJob.fetchAdd(ours.instance, null, number, result, 2).withCompare(99));
        assertThat(ours.number(8)).isEqualTo(40);
        assertThat(theirs.number(0)).isEqualTo(42);

        assertSucceeds(AtomicJob.cmpSwp(ours.instance, null, number, result, 7, 41));
        assertThat(theirs.number(0)).as("not what was compared").isEqualTo(42);
        assertSucceeds(AtomicJob.cmpSwp(ours.instance, null, number, result, 7, 42));
        assertThat(theirs.number(0)).isEqualTo(7);
    }

    @Test
    @Requirement({"DJOB-IMM-1", "DRDMA-READ-10"})
    void onlyTheTypesWithImmediateCarryIt() {
        theirs.submit(new RecvJob(theirs.instance, "first", theirs.room(0, 64)));
        theirs.submit(new RecvJob(theirs.instance, "second"));
        Buf src = ours.data(0, (byte) 1);
        RdmaInstance ctx = ours.instance;

        assertSucceeds(new SendJob(JobType.SEND, 0, ctx, null, src, IMMEDIATE, null));
        assertSucceeds(
                ReadWriteJob.write(ctx, null, ours.remoteRoom(512, 8), src)
                        .withImmediate(IMMEDIATE));
        assertSucceeds(
                ReadWriteJob.read(ctx, null, ours.room(600, 8), ours.remoteData(512, 1))
                        .withImmediate(IMMEDIATE));
        assertSucceeds(new SendJob(ctx, null, null, IMMEDIATE));

        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.event.userData()).isEqualTo("first");
        assertThat(theirs.event.result().opcode()).isEqualTo(RecvOpcode.RECV_SEND);
        assertRefused(DocaError.BAD_STATE, () -> theirs.event.result().immediate());
        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.event.userData()).isEqualTo("second");
        assertThat(theirs.event.result().opcode()).isEqualTo(RecvOpcode.RECV_SEND_WITH_IMM);
        assertThat(theirs.event.result().immediate()).isEqualTo(IMMEDIATE);
    }

    @Test
    @Requirement("DJOB-ADDR-1")
    void thePeerAddressIsIgnored() {
        theirs.submit(new RecvJob(theirs.instance, null, theirs.room(0, 64)));
        Buf src = ours.data(0, (byte) 1);
        RdmaInstance ctx = ours.instance;
        RdmaAddress anybody = RdmaAddress.ipv4("192.0.2.1", 1);

        assertSucceeds(new SendJob(JobType.SEND, 0, ctx, null, src, IMMEDIATE, anybody));
        assertSucceeds(
                ReadWriteJob.write(ctx, null, ours.remoteRoom(8, 8), src)
                        .withImmediate(IMMEDIATE)
                        .withPeerAddress(anybody));
        assertSucceeds(
                AtomicJob.fetchAdd(ctx, null, ours.remoteRoom(16, 8), ours.room(16, 8), 1)
                        .withPeerAddress(anybody));

        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.event.result().peerAddress()).isNull();
    }

    // ---- chains ---------------------------------------------------------------------------------

    @Test
    @Requirement({"DJOB-LIST-1", "DJOB-LIST-2"})
    void aReceiveTakesAChainAsLongAsTheInstanceAllows() {
        theirs.submit(new RecvJob(theirs.instance, null, chain(theirs, 0, JobEnd.CHAIN, 2)));
        assertThat(
                        theirs.queue.submit(
                                new RecvJob(
                                        theirs.instance,
                                        null,
                                        chain(theirs, 1024, JobEnd.CHAIN + 1, 2))))
                .isEqualTo(DocaError.INVALID_VALUE);

        assertSucceeds(new SendJob(ours.instance, null, ours.data(0, bytes(5))));

        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.bytes(0, 2)).containsExactly(1, 2);
        assertThat(theirs.bytes(64, 2)).containsExactly(3, 4);
        assertThat(theirs.bytes(128, 2)).containsExactly(5, 0);
    }

    @Test
    @Requirement({"DJOB-LIST-1", "DJOB-LIST-2"})
    void otherChainsMayBeAsLongAsTheDeviceAllows() {
        int most = ours.instance.maxBufChainLen();
        assertThat(most).isGreaterThan(JobEnd.CHAIN);
        theirs.submit(new RecvJob(theirs.instance, null, theirs.room(0, 1024)));
        Buf chain = ours.data(0, (byte) 1);
        for (int i = 1; i < most; i++) {
            chain.chain(ours.data(i, (byte) (i + 1)));
        }

        assertSucceeds(new SendJob(ours.instance, null, chain));

        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);
        assertThat(theirs.bytes(0, most)).isEqualTo(bytes(most));
        chain.chain(ours.data(most, (byte) 0));
        assertThat(ours.queue.submit(new SendJob(ours.instance, null, chain)))
                .isEqualTo(DocaError.INVALID_VALUE);
    }

    private static Buf chain(JobEnd end, long offset, int count, long length) {
        Buf chain = end.room(offset, length);
        for (int i = 1; i < count; i++) {
            chain.chain(end.room(offset + 64L * i, length));
        }
        return chain;
    }

    /// 1, 2, 3, …
    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) (i + 1);
        }
        return bytes;
    }

    // ---- results --------------------------------------------------------------------------------

    @Test
    @Requirement({"DJOB-RES-1", "DJOB-RES-2", "DJOB-RES-3"})
    void theResultOfAReceiveTellsWhatCame() {
        theirs.submit(new RecvJob(theirs.instance, null, theirs.room(0, 64)));
        Buf src = ours.data(0, (byte) 1, (byte) 2, (byte) 3);

        assertSucceeds(new SendJob(ours.instance, null, src, Be32.ofHost(0x01020304)));

        assertThat(ours.event.result().length()).isZero();
        assertRefused(DocaError.BAD_STATE, () -> ours.event.result().opcode());
        assertRefused(DocaError.BAD_STATE, () -> ours.event.result().immediate());
        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);
        RdmaResult result = theirs.event.result();
        assertThat(result.result()).isEqualTo(DocaError.SUCCESS);
        assertThat(result.opcode()).isEqualTo(RecvOpcode.RECV_SEND_WITH_IMM);
        assertThat(result.immediate().toHost()).isEqualTo(0x01020304);
        assertThat(result.length()).isEqualTo(3);
        assertThat(result.peerAddress()).isNull();
    }

    @Test
    @Requirement({"DJOB-RES-2", "DJOB-WQ-3"})
    void theResultOfAFailedReceiveHasNoOpcode() {
        theirs.submit(new RecvJob(theirs.instance, "short", theirs.room(0, 2)));
        ours.submit(new SendJob(ours.instance, "long", ours.data(0, bytes(3))));

        assertThat(theirs.retrieve()).isEqualTo(DocaError.IO_FAILED);
        assertThat(theirs.event.userData()).isEqualTo("short");
        assertThat(theirs.event.result().result()).isEqualTo(DocaError.IO_FAILED);
        assertRefused(DocaError.BAD_STATE, () -> theirs.event.result().opcode());
        assertRefused(DocaError.BAD_STATE, () -> theirs.event.result().immediate());
        assertThat(ours.retrieve()).isEqualTo(DocaError.IO_FAILED);
        assertThat(ours.event.result().result()).isEqualTo(DocaError.IO_FAILED);
    }

    @Test
    @Requirement("DJOB-RES-4")
    void receivesReadsAndWritesMoveTheDataOfTheirDestination() {
        Buf received = theirs.room(0, 64);
        theirs.submit(new RecvJob(theirs.instance, null, received));
        Buf src = ours.data(0, bytes(3));
        RemoteBuf written = ours.remoteRoom(512, 64);
        Buf read = ours.room(600, 64);

        assertSucceeds(new SendJob(ours.instance, null, src));
        assertSucceeds(ReadWriteJob.write(ours.instance, null, written, src));
        assertSucceeds(ReadWriteJob.read(ours.instance, null, read, ours.remoteData(512, 2)));
        assertThat(ours.event.result().length()).isEqualTo(2);
        assertThat(theirs.retrieve()).isEqualTo(DocaError.SUCCESS);

        assertThat(received.dataLen()).isEqualTo(3);
        assertThat(written.dataLen()).isEqualTo(3);
        assertThat(read.dataLen()).isEqualTo(2);
        assertThat(src.dataLen()).isEqualTo(3);
        assertSucceeds(ReadWriteJob.write(ours.instance, null, written, src));
        assertThat(written.dataLen()).isEqualTo(6);
        assertSucceeds(ReadWriteJob.read(ours.instance, null, read, ours.remoteData(512, 6)));
        assertThat(ours.bytes(600, 9)).containsExactly(1, 2, 1, 2, 3, 1, 2, 3, 0);
    }

    // ---- the engine below -----------------------------------------------------------------------

    @Test
    @Requirement("DJOB-MAP-1")
    void theRulesOfTasksHoldForJobs() {
        RdmaInstance ctx = ours.instance;
        Buf three = ours.data(0, bytes(3));

        assertThat(ours.queue.submit(ReadWriteJob.write(ctx, null, ours.remoteRoom(0, 2), three)))
                .as("a write beyond the tail")
                .isEqualTo(DocaError.INVALID_VALUE);
        assertThat(ours.queue.submit(ReadWriteJob.write(ctx, null, null, three)))
                .as("a write to nowhere")
                .isEqualTo(DocaError.INVALID_VALUE);
        assertThat(
                        ours.queue.submit(
                                AtomicJob.fetchAdd(
                                        ctx, null, ours.remoteRoom(4, 8), ours.room(8, 8), 1)))
                .as("an atomic that is not aligned")
                .isEqualTo(DocaError.INVALID_VALUE);
        assertThat(ours.queue.pending()).isZero();
        assertSucceeds(ReadWriteJob.read(ctx, null, null, null));
        Buf two = ours.room(16, 2);
        assertSucceeds(ReadWriteJob.read(ctx, null, two, ours.remoteData(0, 64)));
        assertThat(two.dataLen()).as("as much as fits").isEqualTo(2);
    }

    @Test
    @Requirement("DJOB-MAP-2")
    void talksToAPeerThatUsesTasks() {
        try (JobEnd jobs = new JobEnd(device());
                ProgressEngine engine = ProgressEngine.create();
                Rdma rdma = new Rdma(theirs.dev)) {
            rdma.receive(_ -> {}, _ -> {}, 1)
                    .sendImm(_ -> {}, _ -> {}, 1)
                    .permissions(AccessFlag.RDMA_WRITE)
                    .attach(engine)
                    .start();
            jobs.start();
            RdmaConnection tasks = rdma.export();
            jobs.instance.connect(tasks.details());
            tasks.connect(jobs.instance.export());
            engine.progress();
            assertThat(rdma.state()).isEqualTo(CtxState.RUNNING);
            jobs.reach(theirs.dev, theirs.mmap);

            ReceiveTask receive = rdma.allocReceive(theirs.room(0, 64));
            receive.submitOrThrow();
            Buf src = jobs.data(0, bytes(3));
            jobs.run(new SendJob(jobs.instance, null, src, IMMEDIATE));
            while (receive.status() == DocaError.IN_PROGRESS) {
                engine.progress();
            }
            assertThat(receive.immediate()).isEqualTo(IMMEDIATE);
            assertThat(theirs.bytes(0, 4)).containsExactly(1, 2, 3, 0);

            jobs.submit(new RecvJob(jobs.instance, null, jobs.room(64, 64)));
            SendImmTask send = tasks.allocSendImm(theirs.data(512, (byte) 9), IMMEDIATE);
            send.submitOrThrow();
            assertThat(jobs.retrieve()).isEqualTo(DocaError.SUCCESS);
            assertThat(jobs.event.result().immediate()).isEqualTo(IMMEDIATE);
            assertThat(jobs.bytes(64, 2)).containsExactly(9, 0);
            while (send.status() == DocaError.IN_PROGRESS) {
                engine.progress();
            }

            RemoteBuf there = jobs.remoteRoom(128, 64);
            assertThat(jobs.run(ReadWriteJob.write(jobs.instance, null, there, src)))
                    .isEqualTo(DocaError.SUCCESS);
            receive.free();
            send.free();
        }
    }

    @Test
    @Requirement({"DJOB-MAP-3", "DJOB-LIFE-4"})
    void aFailedAtomicPutsTheInstanceIntoErrorUntilItStops() {
        theirs.mmap.stop();
        Buf result = ours.room(8, 8);

        assertThat(
                        ours.run(
                                AtomicJob.fetchAdd(
                                        ours.instance, null, ours.remoteRoom(0, 8), result, 1)))
                .isEqualTo(DocaError.IO_FAILED);

        assertThat(ours.event.result().result()).isEqualTo(DocaError.IO_FAILED);
        assertThat(ours.instance.state()).isEqualTo(RdmaState.ERROR);
        for (int i = 0; i < 100; i++) {
            assertThat(ours.queue.retrieve(ours.event)).isEqualTo(DocaError.AGAIN);
            assertThat(ours.instance.state()).isEqualTo(RdmaState.ERROR);
        }
        assertThat(ours.queue.submit(new SendJob(ours.instance, null)))
                .isEqualTo(DocaError.BAD_STATE);
        ours.instance.stop();
        assertThat(ours.instance.state()).isEqualTo(RdmaState.RESET);
    }
}
