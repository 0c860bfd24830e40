package dev.outboard.console.verbs;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `outboard verbs rdma-server`: answers one message.
@Command(
        name = "rdma-server",
        sortOptions = false,
        description = "Wait for one client and answer its message, like rdma_server.")
final class RdmaServerCommand extends Tool {
    /// Both sides of the original send as many.
    static final int MESSAGE_BYTES = 16;

    @Option(
            names = "-p",
            paramLabel = "PORT",
            defaultValue = "7471",
            description = "The port to serve, default 7471; 0 takes a free one.")
    private int port;

    @Mixin private ToolOptions options;

    @Override
    ToolOptions options() {
        return options;
    }

    @Override
    Optional<String> server() {
        return Optional.empty();
    }

    @Override
    void run(Device device) {
        Connections connections = new Connections(device, limit());
        sayReady(device, connections.listen(port, 1));
        ConnectionId id = connections.await(ConnectionEvent.Type.CONNECT_REQUEST).id();
        MessageEnd end = new MessageEnd(device, id, MESSAGE_BYTES, 1, limit());
        end.postReceives(1);
        id.accept(ConnectionParameters.defaults());
        connections.await(ConnectionEvent.Type.ESTABLISHED);
        end.awaitNextReceived();
        end.send(MESSAGE_BYTES);
        end.awaitAllSentOrEnd();
        connections.disconnect(id);
        say("answered a message of %d bytes".formatted(MESSAGE_BYTES));
    }
}
