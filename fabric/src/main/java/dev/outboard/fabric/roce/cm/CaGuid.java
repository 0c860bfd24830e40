package dev.outboard.fabric.roce.cm;

import java.util.random.RandomGenerator;

/// The CA GUID of an instance of this stack: an EUI-64 whose company bits name the stack, followed
/// by a byte that says what the instance can take, and a random number. Others see a number that
/// identifies a channel adapter, as always.
///
/// The vendor ID of REQ and REP (enhanced connection establishment) would be the place for such a
/// declaration, but the user-space driver of ConnectX fails to connect when it is another vendor's.
/// See decision 0010.
public final class CaGuid {
    /// Locally administered, an individual: "OB".
    private static final long COMPANY = 0x02_4F_42;

    private static final int COMPANY_SHIFT = 40;

    /// Five bits: the receive buffer has at least 2^n bytes; 0 says nothing.
    private static final int BUFFER_SHIFT = 35;

    private static final int BUFFER_MASK = 0x1F;
    private static final int MAX_BUFFER_CODE = 28;

    /// One bit: a request on the wire may come ahead of the acknowledgement of what came before it.
    private static final long TAKES_REQUESTS_AHEAD = 1L << 32;

    private CaGuid() {}

    /// A GUID nobody else has.
    ///
    /// ROCE-CM-15: each instance has its own.
    ///
    /// @param receiveBufferBytes what the socket's receive buffer holds, as `SO_RCVBUF` reads
    public static long random(RandomGenerator random, int receiveBufferBytes) {
        int log = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(Math.max(1, receiveBufferBytes));
        return COMPANY << COMPANY_SHIFT
                | (long) Math.min(log, MAX_BUFFER_CODE) << BUFFER_SHIFT
                | Integer.toUnsignedLong(random.nextInt());
    }

    /// The same, of an instance that takes requests ahead of acknowledgements.
    public static long takingRequestsAhead(long caGuid) {
        return caGuid | TAKES_REQUESTS_AHEAD;
    }

    /// What the receive buffer of the instance with that GUID holds at least; 0 if it does not say.
    public static int receiveBufferBytes(long caGuid) {
        int code = (int) (caGuid >>> BUFFER_SHIFT) & BUFFER_MASK;
        boolean isSaid = caGuid >>> COMPANY_SHIFT == COMPANY && code > 0;
        return isSaid ? 1 << Math.min(code, MAX_BUFFER_CODE) : 0;
    }

    /// Whether the instance with that GUID takes requests ahead of acknowledgements.
    public static boolean takesRequestsAhead(long caGuid) {
        return caGuid >>> COMPANY_SHIFT == COMPANY && (caGuid & TAKES_REQUESTS_AHEAD) != 0;
    }
}
