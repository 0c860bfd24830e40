package dev.outboard.examples.dpa;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.QueuePairChange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;

/// A key-value store on a DPA, for clients anywhere on the fabric:
///
/// ```
/// outboard dpa run --device roce://127.0.0.2 examples.jar dev.outboard.examples.dpa.StoreServer
/// ```
///
/// It serves until its process is ended. A client that goes, in whatever way, takes what the store
/// has for it with it.
public final class StoreServer implements AutoCloseable {
    private static final int PSN_BITS = 24;

    private final InetAddress address;
    private final FlexioProcess process;
    private final DpaAddr table;
    private final FlexioMkey tableKey;
    private final ServerSocket listener;

    /// Waits for clients at the address of the device.
    ///
    /// @param port of TCP; 0 for any that is free
    StoreServer(HostProcess host, DpaDevice device, int port) throws IOException {
        Device card =
                device.fabric()
                        .orElseThrow(() ->
                                new IllegalArgumentException(
                                        "a store needs a device of the fabric, as --device says"));
        address = card.address();
        process = FlexioProcess.create(host, device, StoreKernelsStub.APP);
        int tableBytes = StoreKernels.SLOTS * StoreKernels.SLOT_BYTES;
        table = process.heap().zeros(tableBytes);
        tableKey =
                FlexioMkey.create(
                        process,
                        process.domain(),
                        table,
                        tableBytes,
                        Access.LOCAL_WRITE,
                        Access.REMOTE_READ,
                        Access.REMOTE_WRITE,
                        Access.REMOTE_ATOMIC);
        listener = new ServerSocket(port, 0, address);
    }

    /// What `outboard dpa run` calls.
    public static void run(DpaDevice device, String[] arguments) throws IOException {
        try (HostProcess host = HostProcess.open();
                StoreServer server = new StoreServer(host, device, StorePeer.PORT)) {
            System.out.printf(
                    "store at %s, port %d%n", server.address.getHostAddress(), server.port());
            server.serve();
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    FlexioProcess process() {
        return process;
    }

    /// Serves until it is closed.
    void serve() throws IOException {
        while (!listener.isClosed()) {
            Socket socket = listener.accept();
            Thread.ofVirtual().start(() -> serve(socket));
        }
    }

    /// Serves a client until it closes the socket, or the system does that for it.
    private void serve(Socket socket) {
        try (socket;
                StoreConnection connection = new StoreConnection(process)) {
            FlexioQp pair = connection.open(table);
            StorePeer client = StorePeer.receive(socket);
            int psn = new SecureRandom().nextInt(1 << PSN_BITS);
            for (QueuePairChange change : client.changes(psn)) {
                pair.modify(change);
            }
            new StorePeer(address, pair.number(), psn, table.value(), tableKey.number())
                    .send(socket);
            while (socket.getInputStream().read() >= 0) {
                // Clients say nothing more.
            }
        } catch (IOException | FlexioException e) {
            System.err.printf("a client of the store is lost: %s%n", e.getMessage());
        }
    }

    /// Ends it with all that it has for clients.
    @Override
    public void close() throws IOException {
        listener.close();
        process.close();
    }
}
