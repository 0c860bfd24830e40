package dev.outboard.examples.dpa;

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

/// What the ends of a connection tell each other, over TCP, before the first packet: a line each.
///
/// @param address where packets go
/// @param queuePair the number of the queue pair there
/// @param firstPsn the sequence number of its first packet
/// @param table the address of the table, of a store
/// @param key the key of the table, of a store
record StorePeer(InetAddress address, int queuePair, int firstPsn, long table, int key) {
    /// Where a store waits for clients, beside the address of its device.
    static final int PORT = 18_515;

    private static final int PATH_MTU = 1024;
    private static final int READS = 16;
    private static final int SHORT_RNR_WAIT = 1;
    private static final int TIMEOUT = 14;
    private static final int RETRIES = 7;

    /// What is to be done with the own queue pair, in this order, to connect it with the peer.
    List<QueuePairChange> changes(int ownPsn) {
        return List.of(
                QueuePairChange.to(QueuePairState.INIT)
                        .access(Access.REMOTE_READ, Access.REMOTE_WRITE, Access.REMOTE_ATOMIC),
                QueuePairChange.to(QueuePairState.READY_TO_RECEIVE)
                        .addressVector(AddressVector.to(address))
                        .destinationNumber(queuePair)
                        .pathMtu(PATH_MTU)
                        .receivePsn(firstPsn)
                        .maxDestinationReadAtomic(READS)
                        .minRnrTimer(SHORT_RNR_WAIT),
                QueuePairChange.to(QueuePairState.READY_TO_SEND)
                        .sendPsn(ownPsn)
                        .timeout(TIMEOUT)
                        .retryCount(RETRIES)
                        .rnrRetryCount(RETRIES)
                        .maxReadAtomic(READS));
    }

    void send(Socket socket) throws IOException {
        String line =
                "%s %d %d %d %d%n"
                        .formatted(address.getHostAddress(), queuePair, firstPsn, table, key);
        socket.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
    }

    /// @throws IOException if the peer says something else
    static StorePeer receive(Socket socket) throws IOException {
        BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        String line = in.readLine();
        String[] words = line == null ? new String[0] : line.split(" ");
        try {
            return new StorePeer(
                    InetAddress.ofLiteral(words[0]),
                    Integer.parseInt(words[1]),
                    Integer.parseInt(words[2]),
                    Long.parseLong(words[3]),
                    Integer.parseInt(words[4]));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new IOException(
                    "The peer said '%s', not: ADDRESS QUEUE_PAIR PSN TABLE KEY".formatted(line), e);
        }
    }
}
