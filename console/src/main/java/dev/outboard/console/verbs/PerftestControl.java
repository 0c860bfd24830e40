package dev.outboard.console.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The connection over which the two sides of a perftest agree, wait for each other and exchange
/// results. Everything is said by both: the client speaks first.
abstract class PerftestControl implements AutoCloseable {
    private static final int VERSION_BYTES = 16;
    private static final byte[] VERSION =
            Arrays.copyOf("6.06".getBytes(StandardCharsets.US_ASCII), VERSION_BYTES);
    private static final int PAGE_BYTES = 4096;
    private static final int CACHE_LINE_BYTES = 64;

    /// MTUs are said as the digit of the verbs' `ibv_mtu`: 1 is 256, 5 is 4096.
    private static final int MTU_UNIT = 128;

    /// Says `own` and returns what the peer says, which is as long.
    abstract byte[] exchange(byte[] own) throws IOException;

    /// Tells the peer about this side, and returns what it tells.
    abstract PerftestPeer exchange(PerftestPeer own) throws IOException;

    /// Says that everything is said, and waits until the peer does.
    abstract void finish() throws IOException;

    @Override
    public abstract void close() throws IOException;

    /// The first words: version, page, cache line, MTU.
    ///
    /// @param mtu what this side can do, in bytes
    /// @return what both sides can do
    final int agreeOnMtu(int mtu) throws IOException {
        exchange(VERSION);
        exchange(number(PAGE_BYTES));
        exchange(number(CACHE_LINE_BYTES));
        char digit = (char) ('0' + Integer.numberOfTrailingZeros(mtu / MTU_UNIT));
        byte[] peer = exchange(new byte[] {(byte) digit, 0});
        return Math.min(mtu, MTU_UNIT << Math.clamp(peer[0] - '0', 1, 5));
    }

    /// Waits until the peer has come as far.
    final void synchronize(PerftestPeer own, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            exchange(own);
        }
    }

    /// Tells the results, and returns those of the peer. Only a client has any.
    final BandwidthResult exchangeResults(BandwidthResult own) throws IOException {
        return new BandwidthResult(
                exchange(own.bytes()),
                (int) exchange(own.iterations()),
                exchange(own.peakMebibytes()),
                exchange(own.averageMebibytes()),
                exchange(own.millionMessages()));
    }

    private long exchange(long own) throws IOException {
        return ByteBuffer.wrap(exchange(number(own))).getLong();
    }

    private double exchange(double own) throws IOException {
        return Double.longBitsToDouble(exchange(Double.doubleToLongBits(own)));
    }

    private static byte[] number(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    private static byte[] number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }
}
