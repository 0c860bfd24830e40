package dev.outboard.bench.dpa;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.AddressVector;
import dev.outboard.fabric.QueuePairChange;
import dev.outboard.fabric.QueuePairState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// What the ends of an echo tell each other over TCP: where packets go, and to which queue pair.
record EchoPeer(InetAddress address, int queuePair) {
    private static final int PATH_MTU = 1024;
    private static final int READS = 1;
    private static final int SHORT_RNR_WAIT = 1;
    private static final int TIMEOUT = 14;
    private static final int RETRIES = 7;

    /// What connects a queue pair with it.
    List<QueuePairChange> changes() {
        return List.of(
                QueuePairChange.to(QueuePairState.INIT).access(Access.REMOTE_WRITE),
                QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(AddressVector.to(address))
                        .destinationNumber(queuePair)
                        .pathMtu(PATH_MTU)
                        .receivePsn(0)
                        .maxDestinationReadAtomic(READS)
                        .minRnrTimer(SHORT_RNR_WAIT),
                QueuePairChange.to(QueuePairState.READY_TO_SEND)
                        .sendPsn(0)
                        .timeout(TIMEOUT)
                        .retryCount(RETRIES)
                        .rnrRetryCount(RETRIES)
                        .maxReadAtomic(READS));
    }

    void send(Socket socket) throws IOException {
        String line = "%s %d%n".formatted(address.getHostAddress(), queuePair);
        socket.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
    }

    static EchoPeer receive(Socket socket) throws IOException {
        BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        String line = in.readLine();
        if (line == null) {
            throw new IOException("The other end of the echo has gone");
        }
        String[] words = line.split(" ");
        return new EchoPeer(InetAddress.ofLiteral(words[0]), Integer.parseInt(words[1]));
    }
}
