package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.sync.Spin;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.doca.RdmaFixture.Setting;
import dev.outboard.dpa.doca.RdmaFixture.Side;
import dev.outboard.dpa.doca.dev.DocaDpaDevCompletion;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Messages that device code sends and receives.
class DpaMessagesTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int BUFFER_BYTES = 64;

    static List<Setting> settings() {
        return RdmaFixture.settings();
    }

    private static Mmap mmap(Side on, DpaAddr block, long bytes) {
        return Mmap.builder()
                .device(on.dev())
                .memrange(on.dpa(), block.value(), bytes)
                .permissions(AccessFlag.LOCAL_READ_WRITE)
                .build()
                .start();
    }

    private static void connect(Rdma left, Rdma right) {
        RdmaConnection here = left.export();
        RdmaConnection there = right.export();
        here.connect(there.details());
        there.connect(here.details());
    }

    /// A thread of the target is activated by what arrives, and posts its receives again.
    @ParameterizedTest
    @MethodSource("settings")
    @Requirement({"DPA-RD-2", "DPA-TH-2"})
    void messagesActivateAThread(Setting setting) throws Exception {
        int messages = 50;
        try (RdmaFixture ends = new RdmaFixture(setting, RdmaStepsStub.APP)) {
            Side target = ends.right;
            SyncEvent told = ends.open(target.event());
            DpaAddr buffers = target.block(new long[4 * BUFFER_BYTES / Long.BYTES]);
            Mmap received = ends.open(mmap(target, buffers, 4 * BUFFER_BYTES));
            DpaAddr desk = target.block(new long[RdmaSteps.DESK_WORDS]);
            DocaDpaThread thread =
                    ends.open(
                            DocaDpaThread.create(target.dpa())
                                    .function(RdmaStepsStub.serve, desk.value())
                                    .start());
            DocaDpaCompletion completion =
                    ends.open(DocaDpaCompletion.create(target.dpa(), 16).thread(thread).start());
            Rdma receiver =
                    ends.open(
                            new Rdma(target.dev())
                                    .datapathOnDpa(target.dpa())
                                    .completions(completion)
                                    .recvQueueSize(4));
            receiver.start();
            store(target, desk, RdmaSteps.COMPLETION, completion.handle());
            store(target, desk, RdmaSteps.SERVED, receiver.dpaHandle());
            store(target, desk, RdmaSteps.MMAP, received.handle(target.dpa()));
            store(target, desk, RdmaSteps.BUFFERS, received.addressFor(target.dpa()));
            store(target, desk, RdmaSteps.BUFFER_BYTES, BUFFER_BYTES);
            store(target, desk, RdmaSteps.TOLD, told.handle(target.dpa()));
            store(target, desk, RdmaSteps.KIND, DocaDpaDevCompletion.RECV_SEND_IMM);

            Side initiator = ends.left;
            Rdma sender = ends.open(new Rdma(initiator.dev()).datapathOnDpa(initiator.dpa()));
            sender.start();
            DpaAddr out = initiator.block(new long[8]);
            Mmap sent = ends.open(mmap(initiator, out, 64));
            DpaAddr side = initiator.block(new long[RdmaSteps.SIDE_BYTES / Long.BYTES]);
            store(initiator, side, RdmaSteps.RDMA, sender.dpaHandle());
            store(initiator, side, RdmaSteps.OWN_KEY, sent.handle(initiator.dpa()));
            store(initiator, side, RdmaSteps.OUT, sent.addressFor(initiator.dpa()));
            connect(sender, receiver);

            target.dpa().rpc(RdmaStepsStub.postReceives(desk.value(), 4));
            thread.run();
            SyncEvent done = ends.open(initiator.event());
            initiator
                    .dpa()
                    .launchUpdateAdd(null, 0, done, 1, 1, RdmaStepsStub.sendMany(side, messages));
            done.waitGt(0, -1, Spin.YIELD, LONG);
            told.waitGt(messages - 1, -1, Spin.YIELD, LONG);
            long[] words = target.words(desk, RdmaSteps.DESK_WORDS);
            assertThat(words[RdmaSteps.BAD / Long.BYTES]).isZero();
            assertThat(words[RdmaSteps.COUNT / Long.BYTES]).isEqualTo(messages);
            assertThat(words[RdmaSteps.SUM / Long.BYTES]).isEqualTo(messages * (messages - 1) / 2);
        }
    }

    private static void store(Side on, DpaAddr block, int at, long word) {
        try (Arena arena = Arena.ofConfined()) {
            on.dpa().copyToDpa(block.plus(at), arena.allocateFrom(ValueLayout.JAVA_LONG, word));
        }
    }
}
