package dev.outboard.dpa.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.machine.run.OutsidePort;

/// DPA-DM-1: buffers of the host, as the DPA sees them: what it has stored there is in the machine,
/// and need not be in the memory of this process.
final class HostBytes {
    private HostBytes() {}

    /// The data section of a buffer.
    static byte[] read(FlexioProcess process, DocaDpa dpa, Buf from) {
        long address = address(dpa, from) + from.data();
        byte[] bytes = new byte[Math.toIntExact(from.dataLen())];
        process.onHost(host -> {
            for (int i = 0; i < bytes.length; ) {
                int length = OutsidePort.wordAt(address + i, bytes.length - i);
                long word =
                        switch (length) {
                            case Long.BYTES -> host.load64(address + i);
                            case Integer.BYTES -> host.load32(address + i);
                            case Short.BYTES -> host.load16(address + i);
                            default -> host.load8(address + i);
                        };
                OutsidePort.put(bytes, i, length, word);
                i += length;
            }
            return bytes;
        });
        return bytes;
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
        long address = address(dpa, to) + to.tail();
        process.onHost(host -> {
            for (int i = 0; i < bytes.length; ) {
                int length = OutsidePort.wordAt(address + i, bytes.length - i);
                long word = OutsidePort.word(bytes, i, length);
                switch (length) {
                    case Long.BYTES -> host.store64(address + i, word);
                    case Integer.BYTES -> host.store32(address + i, (int) word);
                    case Short.BYTES -> host.store16(address + i, (short) word);
                    default -> host.store8(address + i, (byte) word);
                }
                i += length;
            }
            return to;
        });
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
