package dev.outboard.console.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Control by SENDs over an RDMA connection of its own, perftest's `-R`.
final class PerftestCmControl extends PerftestControl {
    /// Receives posted at a time; the sides take turns, so two would do.
    static final int DEPTH = 4;

    private final MessageEnd end;
    private final boolean client;

    /// @param end connected, with [#DEPTH] receives posted
    PerftestCmControl(MessageEnd end, boolean client) {
        this.end = end;
        this.client = client;
    }

    @Override
    byte[] exchange(byte[] own) {
        if (client) {
            send(own);
            return receive(own.length);
        }
        byte[] peer = receive(own.length);
        send(own);
        return peer;
    }

    @Override
    PerftestPeer exchange(PerftestPeer own) {
        return PerftestPeer.parseBinary(exchange(own.binary()));
    }

    /// The end of the connections says it.
    @Override
    void finish() {}

    /// The tool ends, and the device closes the connection.
    @Override
    public void close() {}

    private void send(byte[] bytes) {
        MemorySegment.copy(bytes, 0, end.outgoing(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        end.send(bytes.length);
        end.awaitAllSentOrEnd();
    }

    private byte[] receive(int count) {
        end.awaitNextReceived();
        byte[] bytes = end.incoming().asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
        end.postReceives(1);
        return bytes;
    }
}
