package dev.outboard.console.verbs;

import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import java.net.InetSocketAddress;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `outboard verbs rdma-client`: sends one message.
@Command(
        name = "rdma-client",
        sortOptions = false,
        description = "Send one message and wait for the answer, like rdma_client.")
final class RdmaClientCommand extends Tool {
    @Option(
            names = "-s",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "The server, default 127.0.0.1.")
    private String server = "";

    @Option(
            names = "-p",
            paramLabel = "PORT",
            defaultValue = "7471",
            description = "The server's port, default 7471.")
    private int port;

    @Mixin private ToolOptions options;

    @Override
    ToolOptions options() {
        return options;
    }

    @Override
    Optional<String> server() {
        return Optional.of(server);
    }

    @Override
    void run(Device device) {
        Connections connections = new Connections(device, limit());
        ConnectionId id = connections.resolve(new InetSocketAddress(resolve(server), port));
        MessageEnd end = new MessageEnd(device, id, RdmaServerCommand.MESSAGE_BYTES, 1, limit());
        end.postReceives(1);
        connections.connect(id, ConnectionParameters.defaults());
        end.send(RdmaServerCommand.MESSAGE_BYTES);
        end.awaitAllSentOrEnd();
        end.awaitNextReceived();
        connections.disconnect(id);
        say(
                "sent a message of %d bytes and got the answer"
                        .formatted(RdmaServerCommand.MESSAGE_BYTES));
    }
}
