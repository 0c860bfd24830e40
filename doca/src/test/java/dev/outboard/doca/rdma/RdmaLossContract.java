package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaError;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Tasks over a network that loses, doubles and swaps packets.
abstract class RdmaLossContract extends RdmaPairContract {
    private static final int ROUNDS = 100;

    /// Some packets of the smallest MTU.
    private static final int MESSAGE_BYTES = 1500;

    @BeforeEach
    void connectBoth() {
        ours.rdma.mtu(256).rnrRetryCount(7);
        theirs.rdma.mtu(256).rnrRetryCount(7);
        connect();
    }

    @Test
    @Requirement({"DFLT-60", "DRDMA-COM-14"})
    void eachMessageComesOnceAndWhole() {
        SendTask send = ours.peer.allocSend(ours.dataAt(0, MESSAGE_BYTES));
        ReceiveTask receive = theirs.rdma.allocReceive(theirs.room(0, MESSAGE_BYTES));
        for (int i = 0; i < ROUNDS; i++) {
            ours.fill(i);
            receive.dst().resetDataLen();
            receive.submitOrThrow();
            assertSucceeds(ours, send);
            assertThat(theirs.next()).isSameAs(receive);
            assertThat(receive.status()).isEqualTo(DocaError.SUCCESS);
            assertThat(receive.resultLength()).isEqualTo(MESSAGE_BYTES);
            assertThat(theirs.bytes(0, MESSAGE_BYTES)).isEqualTo(ours.bytes(0, MESSAGE_BYTES));
        }
        ReceiveTask one = posted(null);
        for (int i = 0; i < ROUNDS; i++) {
            theirs.engine.progress();
        }
        assertThat(one.status())
                .as("of a message that came twice")
                .isEqualTo(DocaError.IN_PROGRESS);
    }

    @Test
    @Requirement("DFLT-60")
    void whatIsWrittenIsReadBack() {
        ReadTask read =
                ours.peer.allocRead(
                        ours.remoteData(4096, MESSAGE_BYTES), ours.room(8192, MESSAGE_BYTES));
        WriteTask write =
                ours.peer.allocWrite(
                        ours.dataAt(0, MESSAGE_BYTES), ours.remoteRoom(4096, MESSAGE_BYTES));
        for (int i = 0; i < ROUNDS; i++) {
            ours.fill(i);
            write.dst().resetDataLen();
            read.dst().resetDataLen();
            assertSucceeds(ours, write);
            assertSucceeds(ours, read);
            assertThat(Arrays.equals(ours.bytes(0, MESSAGE_BYTES), ours.bytes(8192, MESSAGE_BYTES)))
                    .isTrue();
        }
    }

    @Test
    @Requirement({"DFLT-60", "DRDMA-FADD-3"})
    void eachAtomicIsExecutedOnce() {
        theirs.mmap.segment().set(ValueLayout.JAVA_LONG, 512, 0);
        AtomicFetchAddTask add =
                ours.peer.allocAtomicFetchAdd(ours.remoteRoom(512, 8), ours.room(0, 8), 1);
        for (int i = 0; i < ROUNDS; i++) {
            assertSucceeds(ours, add);
            assertThat(ours.mmap.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(i);
        }
        assertThat(theirs.mmap.segment().get(ValueLayout.JAVA_LONG, 512)).isEqualTo(ROUNDS);
    }
}
