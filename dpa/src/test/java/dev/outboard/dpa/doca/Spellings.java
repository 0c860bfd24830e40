package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.DocaDpaDevBuf;
import dev.outboard.dpa.doca.dev.DocaDpaDevCompletion;
import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// RDMA as programs of different releases spell it, on elements of arrays.
@DpaProgram("spellings")
final class Spellings {
    private Spellings() {}

    /// That of the seed: element 0 goes to that of the peer, and its event is set.
    @DpaRpc
    static long seed(DpaThread thread, long rdma, long theirs, long ours, long size, long event) {
        long to = DocaDpaDevBuf.arrayGetBuf(thread, theirs, 0);
        long from = DocaDpaDevBuf.arrayGetBuf(thread, ours, 0);
        DocaDpaDevRdma.write(thread, rdma, to, from, size);
        DocaDpaDevRdma.signalSet(thread, rdma, event, 1);
        DocaDpaDevRdma.signalSet(thread, rdma, event, 1);
        DocaDpaDevRdma.synchronize(thread, rdma);
        return 0;
    }

    /// That with offsets: word 1 of ours becomes word 2 of the peer, and its word 3 word 0 of ours.
    @DpaRpc
    static long offsets(DpaThread thread, long rdma, long theirs, long ours, long event) {
        long their = DocaDpaDevBuf.arrayGetBuf(thread, theirs, 1);
        long our = DocaDpaDevBuf.arrayGetBuf(thread, ours, 1);
        DocaDpaDevRdma.write(thread, rdma, their, 16, our, 8, 8);
        DocaDpaDevRdma.read(thread, rdma, our, 0, their, 24, 8);
        DocaDpaDevRdma.atomicFetchAdd(thread, rdma, their, 8, 1000);
        DocaDpaDevRdma.signalAdd(thread, rdma, event, 2);
        DocaDpaDevRdma.signalAdd(thread, rdma, event, 2);
        DocaDpaDevRdma.synchronize(thread, rdma);
        return 0;
    }

    /// The later one: elements as a whole, on a connection, held back until the last.
    @DpaRpc
    static long later(DpaThread thread, long rdma, long theirs, long ours) {
        long their = DocaDpaDevBuf.arrayGetBuf(thread, theirs, 2);
        long our = DocaDpaDevBuf.arrayGetBuf(thread, ours, 2);
        long read = DocaDpaDevBuf.arrayGetBuf(thread, ours, 3);
        DocaDpaDevRdma.postBufWrite(thread, rdma, 0, their, our, 0);
        DocaDpaDevRdma.postBufAtomicFetchAdd(thread, rdma, 0, their, 7, 0);
        DocaDpaDevRdma.postBufRead(thread, rdma, 0, read, their, DocaDpaDevRdma.FLUSH);
        DocaDpaDevRdma.synchronize(thread, rdma);
        return 0;
    }

    /// A message for a part of element 0, one for all of element 1, and two for all of element 2.
    @DpaRpc
    static long receive(DpaThread thread, long rdma, long ours) {
        long part = DocaDpaDevBuf.arrayGetBuf(thread, ours, 0);
        long whole = DocaDpaDevBuf.arrayGetBuf(thread, ours, 1);
        DocaDpaDevRdma.postReceive(thread, rdma, part, 8, 16);
        long last = DocaDpaDevBuf.arrayGetBuf(thread, ours, 2);
        DocaDpaDevRdma.postBufReceive(thread, rdma, whole);
        DocaDpaDevRdma.postBufReceive(thread, rdma, last);
        DocaDpaDevRdma.postBufReceive(thread, rdma, last);
        return 0;
    }

    /// Messages from elements 2 and 3: a part, a whole, a whole with immediate, and a write with
    /// immediate.
    @DpaRpc
    static long send(DpaThread thread, long rdma, long theirs, long ours) {
        long part = DocaDpaDevBuf.arrayGetBuf(thread, ours, 2);
        long whole = DocaDpaDevBuf.arrayGetBuf(thread, ours, 3);
        long their = DocaDpaDevBuf.arrayGetBuf(thread, theirs, 3);
        DocaDpaDevRdma.postSend(thread, rdma, part, 16, 8);
        DocaDpaDevRdma.postBufSend(thread, rdma, 0, part, DocaDpaDevRdma.FLUSH);
        DocaDpaDevRdma.postBufSendImm(thread, rdma, 0, whole, 5, DocaDpaDevRdma.FLUSH);
        DocaDpaDevRdma.postBufWriteImm(thread, rdma, 0, their, part, 6, DocaDpaDevRdma.FLUSH);
        DocaDpaDevRdma.synchronize(thread, rdma);
        return 0;
    }

    /// What four completions tell: the immediates, four bits each.
    @DpaRpc
    static long received(DpaThread thread, long completions) {
        long told = 0;
        for (int i = 0; i < 4; i++) {
            long element = DocaDpaDevCompletion.next(thread, completions);
            while (element == 0) {
                element = DocaDpaDevCompletion.next(thread, completions);
            }
            told = told << 4 | DocaDpaDevCompletion.immediate(thread, element);
            DocaDpaDevCompletion.ack(thread, completions, 1);
        }
        return told;
    }

    /// A write of 8 bytes.
    @DpaRpc
    static long write(DpaThread thread, long rdma, long to, long toOffset, long from) {
        DocaDpaDevRdma.write(
                thread,
                rdma,
                DocaDpaDevBuf.arrayGetBuf(thread, to, 0),
                toOffset,
                DocaDpaDevBuf.arrayGetBuf(thread, from, 0),
                0,
                8);
        DocaDpaDevRdma.synchronize(thread, rdma);
        return 0;
    }

    /// Loads through a pointer.
    @DpaRpc
    static long load(DpaThread thread, long array) {
        long buf = DocaDpaDevBuf.arrayGetBuf(thread, array, 0);
        return thread.load64(DocaDpaDevBuf.getExternalPtr(thread, buf));
    }
}
