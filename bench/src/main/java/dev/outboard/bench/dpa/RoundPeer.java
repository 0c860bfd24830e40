package dev.outboard.bench.dpa;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/// What the ends of rounds tell each other over TCP: their exports.
final class RoundPeer {
    private static final int MOST_BYTES = 1 << 16;

    private RoundPeer() {}

    static void send(Socket socket, List<byte[]> exports) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(exports.size());
        for (byte[] one : exports) {
            out.writeInt(one.length);
            out.write(one);
        }
        out.flush();
    }

    static List<byte[]> receive(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        List<byte[]> exports = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            int length = in.readInt();
            if (length < 0 || length > MOST_BYTES) {
                throw new IOException("an export of %d bytes".formatted(length));
            }
            exports.add(in.readNBytes(length));
        }
        return exports;
    }
}
