package dev.outboard.bench;

import dev.outboard.bench.fabric.RoundTrip;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;

/// The yardstick of a round trip: the same bytes over plain UDP, both sides spinning. Connected
/// non-blocking [DatagramChannel]s with direct buffers, datagrams of at most 4,096 bytes as in the
/// packets of RoCEv2, no checksum of the payload, no retransmission.
///
/// A message of several datagrams needs flow control, or the socket buffer overflows: the receiver
/// answers every eighth datagram with one byte, and no more than sixteen are under way.
final class UdpPingPong implements RoundTrip {
    private static final int DATAGRAM_BYTES = 4096;
    private static final int WINDOW = 16;
    private static final int CREDIT = 8;
    private static final int SOCKET_BUFFER_BYTES = 4 << 20;
    private static final int CLOCK_MASK = 0xfff;
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Side near;
    private final Side far;
    private final Thread echo;
    private volatile boolean closed;

    /// Starts the peer.
    ///
    /// @param bytes sent and got back in one exchange, at least 1
    UdpPingPong(long bytes) {
        try {
            DatagramChannel first = open();
            DatagramChannel second = open();
            first.connect(second.getLocalAddress());
            second.connect(first.getLocalAddress());
            near = new Side(first, bytes);
            far = new Side(second, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        echo = Thread.ofPlatform().daemon().name("udp-echo").start(this::echo);
    }

    @Override
    public void exchange() {
        try {
            near.send();
            near.receive();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            near.channel.close();
            far.channel.close();
            echo.join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void echo() {
        try {
            while (!closed) {
                far.receive();
                far.send();
            }
        } catch (ClosedChannelException _) {
            // The end of the measurement.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DatagramChannel open() throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER_BYTES);
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false);
        return channel;
    }

    /// One end. Only the near side gives up on lost datagrams; the far side waits for the next
    /// exchange as long as the measurement lasts.
    private final class Side {
        private final DatagramChannel channel;
        private final long bytes;
        private final ByteBuffer message;
        private final ByteBuffer credit = ByteBuffer.allocateDirect(1);
        private final ByteBuffer incoming = ByteBuffer.allocateDirect(DATAGRAM_BYTES);

        Side(DatagramChannel channel, long bytes) {
            this.channel = channel;
            this.bytes = bytes;
            message = ByteBuffer.allocateDirect(DATAGRAM_BYTES);
        }

        void send() throws IOException {
            long datagrams = datagrams();
            long credits = 0;
            for (long i = 0; i < datagrams; i++) {
                while (i - credits * CREDIT >= WINDOW) {
                    awaitDatagram();
                    credits++;
                }
                long rest = bytes - i * DATAGRAM_BYTES;
                write(message.clear().limit((int) Math.min(DATAGRAM_BYTES, rest)));
            }
            for (; credits < datagrams / CREDIT; credits++) {
                awaitDatagram();
            }
        }

        void receive() throws IOException {
            long datagrams = datagrams();
            for (long i = 1; i <= datagrams; i++) {
                awaitDatagram();
                if (i % CREDIT == 0) {
                    write(credit.clear());
                }
            }
        }

        private long datagrams() {
            return (bytes + DATAGRAM_BYTES - 1) / DATAGRAM_BYTES;
        }

        private void write(ByteBuffer datagram) throws IOException {
            while (channel.write(datagram) == 0) {
                Thread.onSpinWait();
            }
        }

        private void awaitDatagram() throws IOException {
            long start = 0;
            int turns = 0;
            while (channel.read(incoming.clear()) == 0) {
                Thread.onSpinWait();
                if (this == near && (++turns & CLOCK_MASK) == 0) {
                    start = start == 0 ? System.nanoTime() : start;
                    if (System.nanoTime() - start > LOST_NANOS) {
                        throw new IOException("the UDP ping-pong lost a datagram; run it again");
                    }
                }
            }
        }
    }
}
