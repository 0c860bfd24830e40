package dev.outboard.console.verbs;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `outboard verbs ucmatose`: many connections, messages over each of them, and their end.
@Command(
        name = "ucmatose",
        sortOptions = false,
        description = {
            "Make connections, send messages both ways over each, and disconnect, like ucmatose.",
            "Without -s it is the server. Both sides need the same -c, -C and -S."
        })
final class UcmatoseCommand extends Tool {
    private static final int MOST_CONNECTIONS = 10_000;
    private static final int MOST_MESSAGES = 10_000;

    @Option(names = "-s", paramLabel = "HOST", description = "Connect to the server at HOST.")
    private @Nullable String server;

    @Option(
            names = "-p",
            paramLabel = "PORT",
            defaultValue = "7471",
            description = "The port, default 7471; a server takes a free one for 0.")
    private int port;

    @Option(
            names = "-c",
            paramLabel = "N",
            defaultValue = "1",
            description = "Connections, default 1.")
    private int connectionCount;

    @Option(
            names = "-C",
            paramLabel = "N",
            defaultValue = "10",
            description = "Messages per connection and direction, default 10.")
    private int messageCount;

    @Option(
            names = "-S",
            paramLabel = "BYTES",
            defaultValue = "100",
            description = "Bytes of a message, default 100.")
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
        require("-c", connectionCount, 1, MOST_CONNECTIONS);
        require("-C", messageCount, 0, MOST_MESSAGES);
        require("-S", messageBytes, 0, Integer.MAX_VALUE);
        Connections connections = new Connections(device, limit());
        if (server == null) {
            serve(device, connections);
        } else {
            call(device, connections, resolve(server));
        }
    }

    private void serve(Device device, Connections connections) {
        sayReady(device, connections.listen(port, connectionCount));
        List<MessageEnd> ends = acceptAll(device, connections);
        say("%d connected".formatted(ends.size()));
        ends.forEach(this::send);
        ends.forEach(this::receive);
        sayTransferred();
        ends.forEach(end -> end.id().disconnect());
        ends.forEach(_ -> connections.await(ConnectionEvent.Type.DISCONNECTED));
        say("disconnected");
    }

    private void call(Device device, Connections connections, InetAddress host) {
        List<MessageEnd> ends = new ArrayList<>();
        for (int i = 0; i < connectionCount; i++) {
            ConnectionId id = connections.resolve(new InetSocketAddress(host, port));
            MessageEnd end = prepare(device, id);
            connections.connect(id, parameters());
            ends.add(end);
        }
        say("%d connected".formatted(ends.size()));
        ends.forEach(this::receive);
        ends.forEach(this::send);
        sayTransferred();
        ends.forEach(_ -> connections.await(ConnectionEvent.Type.DISCONNECTED));
        say("disconnected");
    }

    /// Requests and establishments come in any order.
    private List<MessageEnd> acceptAll(Device device, Connections connections) {
        List<MessageEnd> ends = new ArrayList<>();
        int established = 0;
        while (established < connectionCount) {
            ConnectionEvent event = connections.next();
            switch (event.type()) {
                case CONNECT_REQUEST -> {
                    ends.add(prepare(device, event.id()));
                    event.id().accept(parameters());
                }
                case ESTABLISHED -> established++;
                default -> throw Connections.unexpected(event);
            }
        }
        return ends;
    }

    private MessageEnd prepare(Device device, ConnectionId id) {
        MessageEnd end =
                new MessageEnd(device, id, messageBytes, Math.max(1, messageCount), limit());
        end.postReceives(messageCount);
        return end;
    }

    private void send(MessageEnd end) {
        for (int i = 0; i < messageCount; i++) {
            end.send(messageBytes);
        }
        end.awaitAllSentOrEnd();
    }

    private void receive(MessageEnd end) {
        for (int i = 0; i < messageCount; i++) {
            end.awaitNextReceived();
        }
    }

    private void sayTransferred() {
        say("%d messages of %d bytes there and back on each".formatted(messageCount, messageBytes));
    }

    private static ConnectionParameters parameters() {
        return new ConnectionParameters(1, 1, 7, 7, new byte[0]);
    }
}
