package dev.outboard.doca.rdma;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.blob.Blob;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/// What one end of a connection has to know of the other.
///
/// @param transport of both ends
/// @param address where the peer's packets come from
/// @param queuePairNumber 24 bits; of a peer that is dynamically connected, the port of its service
/// @param psn the first sequence number the peer sends, 24 bits
/// @param mtu the payload of one packet at most, in bytes
/// @param guid of the peer's device
record ConnectionBlob(
        TransportType transport,
        InetAddress address,
        int queuePairNumber,
        int psn,
        int mtu,
        long guid) {
    private static final byte GRH_ENABLED = 1;

    /// Transport, GRH, MTU, queue pair number, sequence number, GUID, length of the address.
    private static final int FIXED_BYTES = 1 + 1 + 2 + 4 + 4 + 8 + 1;

    private static final int MAX_24_BITS = 0xFFFFFF;

    /// DRDMA-CONN-9: what the peer has to know of this end.
    byte[] encode() {
        byte[] raw = address.getAddress();
        byte[] body =
                ByteBuffer.allocate(FIXED_BYTES + raw.length)
                        .put((byte) transport.ordinal())
                        .put(GRH_ENABLED)
                        .putShort((short) mtu)
                        .putInt(queuePairNumber)
                        .putInt(psn)
                        .putLong(guid)
                        .put((byte) raw.length)
                        .put(raw)
                        .array();
        return Blob.encode(Blob.Kind.CONNECTION, body);
    }

    /// DRDMA-CONN-3, DRDMA-CONN-9, DFLT-41: whole, of this version and transport.
    ///
    /// @throws DocaException with INVALID_VALUE if there is nothing, with CONNECTION_ABORTED if it
    ///   is not what the other end exported, or does not fit this one
    static ConnectionBlob decode(TransportType expected, byte[] details) {
        if (details.length == 0) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "the peer's connection details are empty; pass what it exported");
        }
        try {
            return decodeBody(expected, Blob.decode(Blob.Kind.CONNECTION, details));
        } catch (DocaException | IllegalArgumentException e) {
            throw new DocaException(
                    DocaError.CONNECTION_ABORTED,
                    "the peer's connection details: " + e.getMessage(),
                    e);
        }
    }

    private static ConnectionBlob decodeBody(TransportType expected, ByteBuffer body) {
        require(body.remaining() >= FIXED_BYTES, "length " + body.remaining());
        int transport = body.get();
        require(transport == expected.ordinal(), "transport type " + transport);
        int grh = body.get();
        require(grh == GRH_ENABLED, "GRH use " + grh);
        int mtu = body.getShort();
        require(mtu >= 256 && mtu <= 4096 && Integer.bitCount(mtu) == 1, "MTU " + mtu);
        int number = body.getInt();
        int most = expected == TransportType.DC ? RdmaAddress.MAX_PORT : MAX_24_BITS;
        require(number >= 0 && number <= most, "queue pair number " + number);
        int psn = body.getInt();
        require(psn >= 0 && psn <= MAX_24_BITS, "sequence number " + psn);
        long guid = body.getLong();
        byte[] raw = new byte[body.get() & 0xFF];
        require(raw.length == body.remaining(), "address of " + raw.length + " bytes");
        body.get(raw);
        try {
            InetAddress address = InetAddress.getByAddress(raw);
            return new ConnectionBlob(expected, address, number, psn, mtu, guid);
        } catch (UnknownHostException e) {
            throw unfit("address of " + raw.length + " bytes");
        }
    }

    private static void require(boolean fits, String what) {
        if (!fits) {
            throw unfit(what);
        }
    }

    private static DocaException unfit(String what) {
        return new DocaException(
                DocaError.CONNECTION_ABORTED,
                "the peer's connection details do not fit this end: " + what);
    }
}
