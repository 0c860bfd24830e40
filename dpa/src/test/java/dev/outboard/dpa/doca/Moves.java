package dev.outboard.dpa.doca;

import dev.outboard.dpa.doca.dev.DocaDpaDev;
import dev.outboard.dpa.doca.dev.DocaDpaDevBuf;
import dev.outboard.dpa.doca.dev.DocaDpaDevMemcpy;
import dev.outboard.dpa.doca.dev.DocaDpaDevSyncEvent;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.dpacc.DpaGlobal;
import dev.outboard.dpacc.DpaProgram;
import dev.outboard.dpacc.DpaRpc;

/// Kernels that reach memory of the host, and copy it.
@DpaProgram("moves")
final class Moves {
    private Moves() {}

    /// Where an element of an array is, as it is told: the address and the length.
    @DpaRpc
    static long describe(DpaThread thread, long array, long index, DpaAddr to) {
        long buf = DocaDpaDevBuf.arrayGetBuf(thread, array, index);
        thread.store64(to.value(), DocaDpaDevBuf.getAddr(thread, buf));
        thread.store64(to.value() + 8, DocaDpaDevBuf.getLen(thread, buf));
        return buf;
    }

    /// Each word of some elements grows by 1, through external pointers.
    @DpaRpc
    static long grow(DpaThread thread, long array, int from, int to, int words) {
        long sum = 0;
        for (int i = from; i < to; i++) {
            long buf = DocaDpaDevBuf.arrayGetBuf(thread, array, i);
            long at = DocaDpaDevBuf.getExternalPtr(thread, buf);
            for (int word = 0; word < words; word++) {
                long value = thread.load64(at + word * 8L);
                sum += value;
                thread.store64(at + word * 8L, value + 1);
            }
        }
        thread.windowWriteback();
        return sum;
    }

    /// A word of an element, by the form of the pointer that has an offset.
    @DpaRpc
    static long wordOf(DpaThread thread, long array, long index, long offset) {
        long buf = DocaDpaDevBuf.arrayGetBuf(thread, array, index);
        return thread.load64(DocaDpaDevBuf.getExternalPtr(thread, buf, offset));
    }

    /// Swaps a word of an mmap for another value.
    @DpaRpc
    static long swap(DpaThread thread, int mmap, long address, long value) {
        long at = DocaDpaDevBuf.mmapGetExternalPtr(thread, mmap, address);
        long former = thread.load64(at);
        thread.store64(at, value);
        thread.windowWriteback();
        return former;
    }

    /// The pointers to two memories, of which only the latest holds; the first is asked for again.
    @DpaRpc
    static long alternate(DpaThread thread, int one, long oneAt, int other, long otherAt) {
        long sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += thread.load64(DocaDpaDevBuf.mmapGetExternalPtr(thread, one, oneAt));
            sum += thread.load64(DocaDpaDevBuf.mmapGetExternalPtr(thread, other, otherAt));
        }
        return sum;
    }

    /// Uses a pointer after an event has been looked at.
    @DpaRpc
    static long around(DpaThread thread, int mmap, long address, long event) {
        long at = DocaDpaDevBuf.mmapGetExternalPtr(thread, mmap, address);
        long before = thread.load64(at);
        thread.store64(at, before + DocaDpaDevSyncEvent.get(thread, event));
        thread.windowWriteback();
        return thread.load64(at);
    }

    /// Uses a pointer again and again, until the word is 1, and uses it once more then.
    @DpaGlobal
    static void pollThenStore(DpaThread thread, int mmap, long address, long event) {
        long at = DocaDpaDevBuf.mmapGetExternalPtr(thread, mmap, address);
        DocaDpaDevSyncEvent.waitGt(thread, event, 0);
        thread.store64(at, 5);
        thread.windowWriteback();
    }

    /// Copies a part of an element.
    @DpaRpc
    static long copy(
            DpaThread thread, long to, long toOffset, long from, long fromOffset, long length) {
        DocaDpaDevMemcpy.memcpy(
                thread,
                DocaDpaDevBuf.arrayGetBuf(thread, to, 0),
                toOffset,
                DocaDpaDevBuf.arrayGetBuf(thread, from, 0),
                fromOffset,
                length);
        return 0;
    }

    /// Fills elements of host memory with what it writes to elements of DPA memory, and checks what
    /// it gets back: each thread its own part of them.
    @DpaGlobal
    static void roundTrips(
            DpaThread thread, long heap, long host, DpaAddr words, int each, long done) {
        int rank = DocaDpaDev.threadRank(thread);
        for (int i = rank * each; i < (rank + 1) * each; i++) {
            long at = words.value() + i * 16L;
            thread.store64(at, i * 3L);
            DocaDpaDevMemcpy.memcpyNb(
                    thread,
                    DocaDpaDevBuf.arrayGetBuf(thread, host, i),
                    0,
                    DocaDpaDevBuf.arrayGetBuf(thread, heap, i),
                    0,
                    8);
            DocaDpaDevMemcpy.memcpyNb(
                    thread,
                    DocaDpaDevBuf.arrayGetBuf(thread, heap, i),
                    8,
                    DocaDpaDevBuf.arrayGetBuf(thread, host, i),
                    0,
                    8);
        }
        DocaDpaDevMemcpy.synchronize(thread);
        for (int i = rank * each; i < (rank + 1) * each; i++) {
            long at = words.value() + i * 16L;
            long pointer =
                    DocaDpaDevBuf.getExternalPtr(
                            thread, DocaDpaDevBuf.arrayGetBuf(thread, host, i));
            boolean same = thread.load64(at + 8) == i * 3L && thread.load64(pointer) == i * 3L;
            if (same) {
                DocaDpaDevSyncEvent.updateAdd(thread, done, 1);
            }
        }
    }

    /// Stores through the window, and copies that to other memory of the host.
    @DpaRpc
    static long storeThenCopy(DpaThread thread, long from, long to, long value) {
        long source = DocaDpaDevBuf.arrayGetBuf(thread, from, 0);
        long target = DocaDpaDevBuf.arrayGetBuf(thread, to, 0);
        // Looks at the target before, so that there is an old copy of it.
        long before = thread.load64(DocaDpaDevBuf.getExternalPtr(thread, target));
        thread.store64(DocaDpaDevBuf.getExternalPtr(thread, source), value);
        DocaDpaDevMemcpy.memcpy(thread, target, 0, source, 0, 8);
        return thread.load64(DocaDpaDevBuf.getExternalPtr(thread, target)) - before;
    }

    /// Copies a word of DPA memory to where it looks by a pointer, before and after that.
    @DpaRpc
    static long look(DpaThread thread, long heap, DpaAddr word, long to, long value) {
        long target = DocaDpaDevBuf.arrayGetBuf(thread, to, 0);
        long pointer = DocaDpaDevBuf.getExternalPtr(thread, target);
        long before = thread.load64(pointer);
        thread.store64(word.value(), value);
        long source = DocaDpaDevBuf.arrayGetBuf(thread, heap, 0);
        DocaDpaDevMemcpy.memcpy(thread, target, 0, source, 0, 8);
        return thread.load64(pointer) - before;
    }

    /// Transposes a matrix.
    @DpaRpc
    static long transpose(
            DpaThread thread, long to, long from, int elementBytes, int columns, int rows) {
        DocaDpaDevMemcpy.memcpyTranspose2dNb(
                thread,
                DocaDpaDevBuf.arrayGetBuf(thread, to, 0),
                0,
                DocaDpaDevBuf.arrayGetBuf(thread, from, 0),
                0,
                (long) elementBytes * columns * rows,
                elementBytes,
                columns,
                rows);
        DocaDpaDevMemcpy.synchronize(thread);
        return 0;
    }

    /// Adds to a word of the heap when an event says so.
    @DpaGlobal
    static void addLater(DpaThread thread, long event, DpaAddr word) {
        DocaDpaDevSyncEvent.waitGt(thread, event, 0);
        thread.store64(word.value(), thread.load64(word.value()) + 1);
    }

    /// A word of DPA memory.
    @DpaRpc
    static long wordAt(DpaThread thread, DpaAddr word) {
        return thread.load64(word.value());
    }

    /// The program can be called.
    @DpaRpc
    static long nothing(DpaThread thread, int value) {
        thread.systemFence();
        return value;
    }
}
