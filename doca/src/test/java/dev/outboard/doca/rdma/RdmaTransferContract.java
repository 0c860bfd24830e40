package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.RemoteBuf;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What the tasks of a connected pair do, on every provider.
abstract class RdmaTransferContract {
    private RdmaEnd ours;
    private RdmaEnd theirs;

    /// A device that reaches, and is reached by, the others.
    abstract DocaDevInfo device();

    @BeforeEach
    void connect() {
        ours = new RdmaEnd(device());
        theirs = new RdmaEnd(device());
        RdmaEnd.connect(ours, theirs);
    }

    @AfterEach
    void close() {
        ours.close();
        theirs.close();
    }

    @Test
    void aSendIsAppendedToTheReceiveOfThePeer() {
        Buf dst = theirs.data(100, (byte) 1, (byte) 2);
        Buf longer = theirs.inventory.byArgs(theirs.mmap, 100, 16, 100, 2);
        ReceiveTask receive = theirs.rdma.allocReceive(longer);
        receive.submitOrThrow();
        SendTask send = ours.peer.allocSend(ours.data(0, (byte) 3, (byte) 4, (byte) 5));

        assertThat(ours.run(send)).isEqualTo(DocaError.SUCCESS);

        assertThat(theirs.next()).isSameAs(receive);
        assertThat(receive.status()).isEqualTo(DocaError.SUCCESS);
        assertThat(receive.resultLength()).isEqualTo(3);
        assertThat(receive.opcode()).isEqualTo(RecvOpcode.RECV_SEND);
        assertThat(longer.dataLen()).isEqualTo(5);
        assertThat(theirs.bytes(100, 6)).containsExactly(1, 2, 3, 4, 5, 0);
        dst.release();
        longer.release();
        send.src().release();
    }

    @Test
    void aWriteGoesBehindTheDataOfItsDestination() {
        RemoteBuf dst = ours.inventory.byArgs(ours.remote, 200, 16, 202, 3);
        WriteTask write = ours.peer.allocWrite(ours.data(0, (byte) 7, (byte) 8), dst);

        assertThat(ours.run(write)).isEqualTo(DocaError.SUCCESS);

        assertThat(dst.dataLen()).isEqualTo(5);
        ReadTask read = ours.peer.allocRead(ours.remoteData(204, 4), ours.room(300, 16));
        assertThat(ours.run(read)).isEqualTo(DocaError.SUCCESS);
        assertThat(read.resultLength()).isEqualTo(4);
        assertThat(ours.bytes(300, 5)).containsExactly(0, 7, 8, 0, 0);
        dst.release();
        write.src().release();
        read.src().release();
        read.dst().release();
    }

    @Test
    void aFetchAndAddFetchesWhatWasThere() {
        theirs.mmap.segment().set(ValueLayout.JAVA_LONG, 512, 40);
        Buf result = ours.room(8, 8);
        AtomicFetchAddTask add = ours.peer.allocAtomicFetchAdd(ours.remoteRoom(512, 8), result, 2);

        assertThat(ours.run(add)).isEqualTo(DocaError.SUCCESS);

        assertThat(ours.mmap.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(40);
        assertThat(theirs.mmap.segment().get(ValueLayout.JAVA_LONG, 512)).isEqualTo(42);
        assertThat(result.dataLen()).isZero();
        result.release();
        add.dst().release();
    }
}
