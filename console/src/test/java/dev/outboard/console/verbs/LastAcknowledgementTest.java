package dev.outboard.console.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.console.Execution;
import dev.outboard.console.OutboardProcess;
import dev.outboard.fabric.Access;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Clients that leave when they have got the last message, and the acknowledgement of it is lost: a
/// server must not take that for a failure. Here they post no receive for it, so that it never is
/// acknowledged.
class LastAcknowledgementTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final Device device = RoceLoopback.open();
    private final Connections connections = new Connections(device, LIMIT);

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void rdmaServerNeedsNone() {
        try (OutboardProcess server = serve("rdma-server")) {
            ConnectionId id = resolve(server);
            int bytes = RdmaServerCommand.MESSAGE_BYTES;
            MessageEnd client = new MessageEnd(device, id, bytes, 1, LIMIT);
            connect(id);

            client.send(bytes);
            client.awaitAllSent();
            connections.disconnect(id);

            assertThatEndsWell(server, "answered a message");
        }
    }

    @Test
    void rpingServerNeedsNone() {
        try (OutboardProcess server = serve("rping", "-s")) {
            ConnectionId id = resolve(server);
            MessageEnd client = new MessageEnd(device, id, RpingAdvertisement.BYTES, 1, LIMIT);
            MemoryRegion text =
                    client.domain()
                            .register(
                                    Arena.ofAuto().allocate(RpingText.LEAST_BYTES),
                                    Access.LOCAL_WRITE,
                                    Access.REMOTE_READ,
                                    Access.REMOTE_WRITE);
            RpingText.fill(text.segment(), 0);
            RpingAdvertisement.of(text).emit(client.outgoing());
            client.postReceives(1);
            connect(id);

            client.send(RpingAdvertisement.BYTES);
            client.awaitNextReceived();
            text.segment().fill((byte) 0);
            client.send(RpingAdvertisement.BYTES);
            awaitText(text);
            connections.disconnect(id);

            assertThatEndsWell(server, "served 1 pings");
        }
    }

    private static OutboardProcess serve(String... tool) {
        return OutboardProcess.start(ToolPair.serverWords(List.of(tool)));
    }

    private ConnectionId resolve(OutboardProcess server) {
        String address = server.address();
        int colon = address.lastIndexOf(':');
        return connections.resolve(
                new InetSocketAddress(
                        address.substring(0, colon),
                        Integer.parseInt(address.substring(colon + 1))));
    }

    private void connect(ConnectionId id) {
        connections.connect(id, new ConnectionParameters(1, 1, 7, 7, new byte[0]));
    }

    /// Waits until the server has written the text back.
    private static void awaitText(MemoryRegion text) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while ((byte) BYTE.getVolatile(text.segment(), 0L) == 0) {
            assertThat(System.nanoTime()).as("no text").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static void assertThatEndsWell(OutboardProcess server, String said) {
        Execution run = server.awaitEnd();
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out()).contains(said);
    }
}
