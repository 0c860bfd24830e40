package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.DocaDpaDevBuf;
import dev.outboard.dpa.doca.dev.DocaDpaDevRdma;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;

/// Kernels that tell others what they have written, and that look at it. They have no fence of
/// their own.
@DpaProgram("event_steps")
final class EventSteps {
    /// How many words a message has.
    static final int WORDS = 8;

    /// What an RDMA context and its peer are: words in DPA memory.
    static final int RDMA = 0;

    static final int OWN_KEY = 8;
    static final int OUT = 16;
    static final int PEER_KEY = 24;
    static final int PEER_IN = 32;
    static final int PEER_EVENT = 40;
    static final int DESK_BYTES = 48;

    private EventSteps() {}

    /// Writes a message to memory of the host, through the window, and one to DPA memory, and
    /// updates an event.
    @DpaGlobal
    static void tell(
            DpaThread thread,
            int mmap,
            long host,
            DpaAddr words,
            long seed,
            long event,
            long value,
            int isAdd) {
        long window = DocaDpaDevBuf.mmapGetExternalPtr(thread, mmap, host);
        for (int i = 0; i < WORDS; i++) {
            thread.store64(window + (long) i * Long.BYTES, seed + i);
            thread.store64(words.value() + (long) i * Long.BYTES, seed + i);
        }
        if (isAdd != 0) {
            DocaDpaDevSyncEvent.updateAdd(thread, event, value);
        } else {
            DocaDpaDevSyncEvent.updateSet(thread, event, value);
        }
    }

    /// Waits until an event is greater than a threshold, and looks at the messages. If they are
    /// there, 1 is added to another event, else 1000.
    ///
    /// @param words in DPA memory; 0 if there is no message
    @DpaGlobal
    static void hear(
            DpaThread thread,
            long event,
            long threshold,
            int mmap,
            long host,
            DpaAddr words,
            long seed,
            long done) {
        // There is an old copy of the message.
        long window = DocaDpaDevBuf.mmapGetExternalPtr(thread, mmap, host);
        thread.load64(window);
        DocaDpaDevSyncEvent.waitGt(thread, event, threshold);
        look(thread, mmap, host, words, seed, done);
    }

    /// The same for a kernel whose launch has waited.
    @DpaGlobal
    static void look(DpaThread thread, int mmap, long host, DpaAddr words, long seed, long done) {
        long window = DocaDpaDevBuf.mmapGetExternalPtr(thread, mmap, host);
        long addend = 1;
        for (int i = 0; i < WORDS; i++) {
            long at = (long) i * Long.BYTES;
            if (thread.load64(window + at) != seed + i) {
                addend = 1000;
            }
            if (words.value() != 0 && thread.load64(words.value() + at) != seed + i) {
                addend = 1000;
            }
        }
        DocaDpaDevSyncEvent.updateAdd(thread, done, addend);
    }

    /// Writes a message to the peer and updates its event.
    @DpaGlobal
    static void signal(DpaThread thread, DpaAddr desk, long seed, long value, int isAdd) {
        long at = desk.value();
        long rdma = thread.load64(at + RDMA);
        long out = thread.load64(at + OUT);
        for (int i = 0; i < WORDS; i++) {
            thread.store64(out + (long) i * Long.BYTES, seed + i);
        }
        DocaDpaDevRdma.postWrite(
                thread,
                rdma,
                0,
                (int) thread.load64(at + PEER_KEY),
                thread.load64(at + PEER_IN),
                (int) thread.load64(at + OWN_KEY),
                out,
                WORDS * Long.BYTES,
                0);
        long event = thread.load64(at + PEER_EVENT);
        if (isAdd != 0) {
            DocaDpaDevRdma.signalAdd(thread, rdma, 0, event, value);
        } else {
            DocaDpaDevRdma.signalSet(thread, rdma, 0, event, value);
        }
        DocaDpaDevRdma.synchronize(thread, rdma);
    }

    /// Adds to an event of the peer several times.
    @DpaGlobal
    static void signalOften(DpaThread thread, DpaAddr desk, int times, long addend) {
        long rdma = thread.load64(desk.value() + RDMA);
        for (int i = 0; i < times; i++) {
            DocaDpaDevRdma.signalAdd(
                    thread, rdma, 0, thread.load64(desk.value() + PEER_EVENT), addend);
            DocaDpaDevRdma.synchronize(thread, rdma);
        }
    }

    /// Adds to an event several times.
    @DpaGlobal
    static void addOften(DpaThread thread, long event, int times, long addend) {
        for (int i = 0; i < times; i++) {
            DocaDpaDevSyncEvent.updateAdd(thread, event, addend);
        }
    }
}
