package dev.outboard.console.verbs;

import dev.outboard.fabric.AddressHandle;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.DatagramDestination;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.PortSpace;
import dev.outboard.fabric.SendRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `outboard verbs udaddy`: finds datagram services, sends them messages and gets replies. The
/// immediate data of a message is the number of the queue pair that wants the reply.
@Command(
        name = "udaddy",
        sortOptions = false,
        description = {
            "Look up datagram services and exchange messages with them, like udaddy.",
            "Without -s it is the server. Both sides need the same -c, -C and -S."
        })
final class UdaddyCommand extends Tool {
    private static final int MOST_SERVICES = 10_000;
    private static final int MOST_MESSAGES = 10_000;

    /// Of all datagram services found by connection management.
    private static final int QUEUE_KEY = 0x0123_4567;

    @Option(names = "-s", paramLabel = "HOST", description = "Be a client of the server at HOST.")
    private @Nullable String server;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = "7174",
            description = "The port, default 7174; a server takes a free one for 0.")
    private int port;

    @Option(
            names = "-c",
            paramLabel = "N",
            defaultValue = "1",
            description = "Queue pairs, default 1.")
    private int serviceCount;

    @Option(
            names = "-C",
            paramLabel = "N",
            defaultValue = "10",
            description = "Messages per queue pair and direction, default 10.")
    private int messageCount;

    @Option(
            names = "-S",
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "Bytes of a message, default 100, at most the path MTU.")
    private int messageBytes;

    @Mixin private ToolOptions options;

    @Override
    ToolOptions options() {
        return options;
    }

    @Override
    Optional<String> server() {
        return Optional.ofNullable(server);
    }

    @Override
    void run(Device device) {
        require("-c", serviceCount, 1, MOST_SERVICES);
        require("-C", messageCount, 1, MOST_MESSAGES);
        require("-S", messageBytes, 0, device.limits().pathMtuBytes());
        Connections connections = new Connections(device, PortSpace.UDP, limit());
        if (server == null) {
            serve(device, connections);
        } else {
            call(device, connections, resolve(server));
        }
        say(
                "%d messages of %d bytes there and back on each of %d"
                        .formatted(messageCount, messageBytes, serviceCount));
    }

    private void serve(Device device, Connections connections) {
        sayReady(device, connections.listen(port, serviceCount));
        List<MessageEnd> ends = new ArrayList<>();
        while (ends.size() < serviceCount) {
            ConnectionId id = connections.await(ConnectionEvent.Type.CONNECT_REQUEST).id();
            ends.add(prepare(device, id));
            id.accept(ConnectionParameters.defaults());
        }
        for (MessageEnd end : ends) {
            Completion last = receive(end);
            AddressHandle back = end.domain().createAddressHandle(last, end.incomingRegion(), 0);
            send(end, new SendRequest().to(back, last.immediate(), QUEUE_KEY));
        }
    }

    private void call(Device device, Connections connections, InetAddress host) {
        List<MessageEnd> ends = new ArrayList<>();
        for (int i = 0; i < serviceCount; i++) {
            ConnectionId id = connections.resolve(new InetSocketAddress(host, port));
            MessageEnd end = prepare(device, id);
            id.connect(ConnectionParameters.defaults());
            DatagramDestination service =
                    connections.await(ConnectionEvent.Type.ESTABLISHED).destination().orElseThrow();
            AddressHandle there = end.domain().createAddressHandle(service.addressVector());
            send(end, new SendRequest().to(there, service.queuePairNumber(), service.queueKey()));
            ends.add(end);
        }
        ends.forEach(this::receive);
    }

    private MessageEnd prepare(Device device, ConnectionId id) {
        MessageEnd end = MessageEnd.ofDatagrams(device, id, messageBytes, messageCount, limit());
        end.postReceives(messageCount);
        return end;
    }

    private void send(MessageEnd end, SendRequest request) {
        request.sendWithImmediate(end.number()).payload(end.outgoingRegion(), 0, messageBytes);
        for (int i = 0; i < messageCount; i++) {
            end.post(request);
        }
        end.awaitAllSent();
    }

    /// Waits for all messages.
    ///
    /// @return the completion of the last
    private Completion receive(MessageEnd end) {
        for (int i = 0; i < messageCount; i++) {
            end.awaitNextReceived();
        }
        return end.lastCompletion();
    }
}
