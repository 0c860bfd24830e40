package dev.outboard.dpa.watch;

import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// A connection whose every wait has an end: a line of text each way, and then bytes until one side
/// closes it. Only one thread uses it.
final class Conversation implements AutoCloseable {
    /// The longest line.
    private static final int LINE_BYTES = 1024;

    private static final int NANOS_PER_MILLI = 1_000_000;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final Duration patience;

    /// Takes the connection over.
    ///
    /// @param patience how long it waits for each part of what is read or written
    Conversation(SocketChannel channel, Duration patience) throws IOException {
        this.channel = channel;
        this.patience = patience;
        channel.configureBlocking(false);
        selector = Selector.open();
        key = channel.register(selector, 0);
    }

    /// Waits until bytes can be read or written, or never will be.
    ///
    /// @return false if the time is over
    private boolean await(int operation, Duration atMost) throws IOException {
        key.interestOps(operation);
        long end = System.nanoTime() + atMost.toNanos();
        long left = atMost.toNanos();
        while (left > 0) {
            if (selector.select(left / NANOS_PER_MILLI + 1) > 0) {
                selector.selectedKeys().clear();
                return true;
            }
            if (Thread.currentThread().isInterrupted()) {
                return false;
            }
            left = end - System.nanoTime();
        }
        return false;
    }

    /// Reads what there is.
    ///
    /// @return how many bytes, or -1 if no more will come
    /// @throws SocketTimeoutException if the other side says nothing
    int read(ByteBuffer to) throws IOException {
        return read(to, patience);
    }

    private int read(ByteBuffer to, Duration atMost) throws IOException {
        int read;
        while ((read = channel.read(to)) == 0) {
            if (!await(SelectionKey.OP_READ, atMost)) {
                throw new SocketTimeoutException("the other side says nothing");
            }
        }
        return read;
    }

    /// Reads a line.
    ///
    /// @param atMost how long all of it may take
    /// @throws IOException if it is too long, or does not come in time
    String line(Duration atMost) throws IOException {
        long end = System.nanoTime() + atMost.toNanos();
        ByteBuffer one = ByteBuffer.allocate(1);
        StringBuilder line = new StringBuilder();
        while (line.length() < LINE_BYTES) {
            one.clear();
            if (read(one, Duration.ofNanos(end - System.nanoTime())) < 0) {
                throw new IOException("the other side closed the connection");
            }
            char c = (char) (one.get(0) & 0xFF);
            if (c == '\n') {
                return line.toString();
            }
            line.append(c);
        }
        throw new IOException("no line of text came");
    }

    /// Waits until the other side closes the connection, or says anything.
    void awaitEnd(Duration atMost) throws IOException {
        await(SelectionKey.OP_READ, atMost);
    }

    /// @throws SocketTimeoutException if the other side does not take it
    void write(String text) throws IOException {
        write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private void write(ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            if (channel.write(from) == 0 && !await(SelectionKey.OP_WRITE, patience)) {
                throw new SocketTimeoutException("nobody reads what is written");
            }
        }
    }

    /// Writes to the other side.
    OutputStream output() {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                write(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                Conversation.this.write(ByteBuffer.wrap(bytes, from, length));
            }
        };
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
