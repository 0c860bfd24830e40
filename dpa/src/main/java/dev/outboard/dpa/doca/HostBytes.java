package dev.outboard.dpa.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpacc.DpaAddr;

/// DPA-DM-1: buffers of the host, as the DPA sees them: what it has stored there is in the machine,
/// and need not be in the memory of this process.
final class HostBytes {
    private HostBytes() {}

    /// The data section of a buffer.
    static byte[] read(FlexioProcess process, DocaDpa dpa, Buf from) {
        return FlexioBuffer.read(
                process,
                new DpaAddr(address(dpa, from) + from.data()),
                Math.toIntExact(from.dataLen()));
    }

    /// Appends to the data section of a buffer.
    static void append(FlexioProcess process, DocaDpa dpa, Buf to, byte... bytes) {
        if (bytes.length > to.tailLen()) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "%d bytes do not fit in the tail of %s, which has %d"
                            .formatted(bytes.length, to, to.tailLen()));
        }
        if (!to.mmap().permissions().contains(AccessFlag.LOCAL_READ_WRITE)) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "%s permits %s, not LOCAL_READ_WRITE"
                            .formatted(to.mmap(), to.mmap().permissions()));
        }
        FlexioBuffer.write(process, new DpaAddr(address(dpa, to) + to.tail()), bytes);
        to.dataLen(to.dataLen() + bytes.length);
    }

    /// What the DPA calls the first byte of the memory that a buffer points into.
    private static long address(DocaDpa dpa, Buf buf) {
        if (buf.isInList()) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, "%s is in a list; valid: a single one".formatted(buf));
        }
        // Refuses memory that is no memory of the host.
        buf.mmap().segment();
        return buf.mmap().addressFor(dpa);
    }
}
