package dev.outboard.console.verbs;

import java.io.IOException;

/// Control over TCP, perftest's default.
final class PerftestTcpControl extends PerftestControl {
    private final ExchangeSocket socket;
    private final boolean client;

    /// Takes over `socket`.
    PerftestTcpControl(ExchangeSocket socket, boolean client) {
        this.socket = socket;
        this.client = client;
    }

    @Override
    byte[] exchange(byte[] own) throws IOException {
        if (client) {
            socket.send(own);
            return socket.receive(own.length);
        }
        byte[] peer = socket.receive(own.length);
        socket.send(own);
        return peer;
    }

    @Override
    PerftestPeer exchange(PerftestPeer own) throws IOException {
        return PerftestPeer.parse(exchange(own.text()));
    }

    /// perftest closes after its own "done" without reading the other, and so answers that with a
    /// reset. Where packets get lost, the reset may overtake the "done".
    @Override
    void finish() throws IOException {
        socket.sendDone();
        socket.receiveDoneOrReset();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
