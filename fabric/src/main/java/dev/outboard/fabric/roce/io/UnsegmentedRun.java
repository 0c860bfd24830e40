package dev.outboard.fabric.roce.io;

import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32;

/// Takes a run of packets apart that the kernel would not segment, so that they can be sent one by
/// one. Happens once in the life of a socket at most.
///
/// The ICRC of each was computed for its index as IPv4 identification; on its own it gets 0. A CRC
/// is linear: the difference between the two depends on the index and the length alone, so the
/// payload need not be read again.
final class UnsegmentedRun {
    /// What follows the identification up to the UDP payload: the rest of the IPv4 header and UDP.
    private static final int BYTES_TO_PAYLOAD = 14 + 8;

    private final OutgoingMessage run;
    private final MemorySegment ring;
    private final boolean ipv4;
    private final int segmentBytes;
    private int index;
    private int span;
    private long taken;

    /// @param ring holds the ICRC of every packet
    UnsegmentedRun(OutgoingMessage run, MemorySegment ring, Path path, int segmentBytes) {
        this.run = run;
        this.ring = ring;
        this.ipv4 = path.isIpv4();
        this.segmentBytes = segmentBytes;
    }

    /// Makes `single` the next packet of the run.
    void next(OutgoingMessage single) {
        single.clear();
        int length = 0;
        long end = 0;
        while (length < segmentBytes && span < run.count()) {
            long count = Math.min(segmentBytes - length, run.length(span) - taken);
            long start = run.address(span) + taken;
            single.add(start, count);
            end = start + count;
            length += (int) count;
            advance(count);
        }
        if (ipv4) {
            long icrcAt = end - Icrc.LENGTH - ring.address();
            Icrc.put(ring, icrcAt, Icrc.get(ring, icrcAt) ^ identificationEffect(index, length));
        }
        index++;
    }

    private void advance(long count) {
        taken += count;
        if (taken == run.length(span)) {
            span++;
            taken = 0;
        }
    }

    /// What the ICRC for `identification` and the one for 0 differ by.
    static int identificationEffect(int identification, int udpPayloadLength) {
        int covered = Short.BYTES + BYTES_TO_PAYLOAD + udpPayloadLength - Icrc.LENGTH;
        byte[] bytes = new byte[covered];
        int zero = crc(bytes);
        bytes[0] = (byte) (identification >> Byte.SIZE);
        bytes[1] = (byte) identification;
        return crc(bytes) ^ zero;
    }

    private static int crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, bytes.length);
        return (int) crc.getValue();
    }
}
