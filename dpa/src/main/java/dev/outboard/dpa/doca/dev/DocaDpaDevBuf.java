package dev.outboard.dpa.doca.dev;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.memory.FaultSignal;

/// DPA-DM-3: buffers in device code: `doca_dpa_dev_buf.h`. Kernels call it, with the
/// [handle][dev.outboard.doca.BufArray#dpaHandle] of an array.
///
/// A buffer is 64 bits that name an array and an element of it, and can be kept anywhere.
///
/// DPA-DM-5: an external pointer is an address of the window: what a thread stores there it writes
/// back itself, and it drops cached reads itself. It holds until the thread asks for one to another
/// memory, and for the thread that has asked for it.
///
/// DPA-DM-6: what an array or a buffer does not have ends the context.
///
/// The elements of an array may lie in memory of a peer: these are for [DocaDpaDevRdma], as what is
/// remote there, and for nothing else.
public final class DocaDpaDevBuf {
    /// Arrays are told apart by where they are in the heap, in lines.
    private static final int LOG_LINE = 6;

    private DocaDpaDevBuf() {}

    /// `doca_dpa_dev_buf_array_get_buf`: an element of an array.
    public static long arrayGetBuf(DpaThread thread, long array, long index) {
        checkIndex(thread, array, index);
        return ((array - AddressMap.HEAP) >>> LOG_LINE << Integer.SIZE) | index;
    }

    /// `doca_dpa_dev_buf_get_addr`: the external address of the first byte.
    public static long getAddr(DpaThread thread, long buf) {
        long array = array(buf);
        long index = index(buf);
        checkIndex(thread, array, index);
        return thread.load64(array + ArrayDescriptor.ADDRESS)
                + index * thread.load64(array + ArrayDescriptor.ELEMENT_BYTES);
    }

    /// `doca_dpa_dev_buf_get_len`: how long it is, in bytes.
    public static long getLen(DpaThread thread, long buf) {
        checkIndex(thread, array(buf), index(buf));
        return thread.load64(array(buf) + ArrayDescriptor.ELEMENT_BYTES);
    }

    /// `doca_dpa_dev_buf_get_external_ptr`: by which the thread loads and stores the first byte,
    /// and those after it. The memory of the array begins at a multiple of 64, and is one of the
    /// host: threads have no pointers to memory of a peer.
    public static long getExternalPtr(DpaThread thread, long buf) {
        return getExternalPtr(thread, buf, 0);
    }

    /// `doca_dpa_dev_buf_get_external_ptr`, as it was before: the same for a byte of the buffer.
    public static long getExternalPtr(DpaThread thread, long buf, long offset) {
        long address = own(thread, buf, offset, 1);
        if (thread.load64(array(buf) + ArrayDescriptor.ALIGNED) == 0) {
            throw new FaultSignal(
                    Fault.BUF_ALIGNMENT,
                    "array 0x%x, element %d".formatted(array(buf), index(buf)));
        }
        ThreadContext.open(thread, key(thread, buf));
        return thread.window(address);
    }

    /// `doca_dpa_dev_mmap_get_external_ptr`: the same for a byte of an mmap.
    ///
    /// @param mmap its [handle][dev.outboard.doca.Mmap#handle]
    /// @param address an external address, see [dev.outboard.doca.Mmap#addressFor]
    public static long mmapGetExternalPtr(DpaThread thread, int mmap, long address) {
        ThreadContext.open(thread, mmap);
        return thread.window(address);
    }

    /// The address of a part of a buffer in memory of this host.
    static long own(DpaThread thread, long buf, long offset, long lengthBytes) {
        if (isRemote(thread, buf)) {
            throw misuse(buf, "lies in memory of a peer, which only RDMA reaches");
        }
        return part(thread, buf, offset, lengthBytes);
    }

    /// The address of a part of a buffer in memory of a peer.
    static long remote(DpaThread thread, long buf, long offset, long lengthBytes) {
        if (!isRemote(thread, buf)) {
            throw misuse(buf, "lies in memory of this host, where that of a peer is needed");
        }
        return part(thread, buf, offset, lengthBytes);
    }

    private static boolean isRemote(DpaThread thread, long buf) {
        checkIndex(thread, array(buf), index(buf));
        return thread.load64(array(buf) + ArrayDescriptor.REMOTE) != 0;
    }

    private static FaultSignal misuse(long buf, String how) {
        return new FaultSignal(
                Fault.RDMA_MISUSE,
                "array 0x%x, element %d: it %s".formatted(array(buf), index(buf), how));
    }

    private static long part(DpaThread thread, long buf, long offset, long lengthBytes) {
        long length = getLen(thread, buf);
        boolean fits =
                offset >= 0
                        && lengthBytes >= 0
                        && lengthBytes <= length
                        && offset <= length - lengthBytes;
        if (!fits) {
            throw new FaultSignal(
                    Fault.BUF_RANGE,
                    "array 0x%x, element %d of %d bytes, offset %d: %d bytes"
                            .formatted(array(buf), index(buf), length, offset, lengthBytes));
        }
        ThreadContext.check(thread, "array", array(buf), ArrayDescriptor.FUNCTION);
        return getAddr(thread, buf) + offset;
    }

    /// The key of the memory of a buffer.
    static int key(DpaThread thread, long buf) {
        return (int) thread.load64(array(buf) + ArrayDescriptor.KEY);
    }

    private static void checkIndex(DpaThread thread, long array, long index) {
        long count = thread.load64(array + ArrayDescriptor.COUNT);
        if (index < 0 || index >= count) {
            throw new FaultSignal(
                    Fault.BUF_INDEX,
                    "array 0x%x of %d elements, index %d".formatted(array, count, index));
        }
    }

    private static long array(long buf) {
        return AddressMap.HEAP + (buf >>> Integer.SIZE << LOG_LINE);
    }

    private static long index(long buf) {
        return (int) buf;
    }
}
