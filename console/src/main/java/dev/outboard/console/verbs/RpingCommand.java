package dev.outboard.console.verbs;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ConnectionParameters;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.SendRequest;
import dev.outboard.terminal.CommandException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `outboard verbs rping`: the server READs a text from the client and WRITEs it back, both
/// announced by SENDs.
@Command(
        name = "rping",
        sortOptions = false,
        description = {
            "Ping with READs, WRITEs and SENDs, like rping.",
            "The client offers a text, the server READs it; the client offers room, the server"
                    + " WRITEs the text there."
        })
final class RpingCommand extends Tool {
    private static final int MESSAGES_OUTSTANDING = 16;

    @ArgGroup(multiplicity = "1")
    private Role role = new Role();

    @Option(
            names = "-a",
            paramLabel = "ADDR",
            description = "The server's address. Default: --bind in the server, 127.0.0.1.")
    private @Nullable String address;

    @Option(
            names = "-p",
            paramLabel = "PORT",
            defaultValue = "7174",
            description = "The port, default 7174; a server takes a free one for 0.")
    private int port;

    @Option(
            names = "-C",
            paramLabel = "N",
            defaultValue = "0",
            description = "Pings of the client, default 0: without end.")
    private int count;

    @Option(
            names = "-S",
            paramLabel = "BYTES",
            defaultValue = "64",
            description = "Bytes of the client's text, default 64.")
    private int bytes;

    @Option(names = "-v", description = "Print every text.")
    private boolean verbose;

    @Option(names = "-V", description = "Compare what comes back with what was sent.")
    private boolean validate;

    @Option(names = "-P", description = "Serve one client after the other.")
    private boolean persistent;

    @Mixin private ToolOptions options;

    /// Exactly one of them.
    private static final class Role {
        @Option(names = "-s", required = true, description = "Be the server.")
        private boolean server;

        @Option(names = "-c", required = true, description = "Be the client.")
        private boolean client;
    }

    @Override
    ToolOptions options() {
        return options;
    }

    @Override
    Optional<String> server() {
        return role.client
                ? Optional.of(address == null ? ToolOptions.LOOPBACK : address)
                : Optional.empty();
    }

    @Override
    Devices.Share open() {
        return role.server && address != null ? options.open(address) : super.open();
    }

    @Override
    void run(Device device) {
        require("-S", bytes, RpingText.LEAST_BYTES, RpingText.MOST_BYTES);
        require("-C", count, 0, Integer.MAX_VALUE);
        Connections connections = new Connections(device, limit());
        if (server().isPresent()) {
            call(device, connections, server().get());
            return;
        }
        sayReady(device, connections.listen(port, MESSAGES_OUTSTANDING));
        do {
            serve(device, connections);
        } while (persistent);
    }

    private void call(Device device, Connections connections, String host) {
        ConnectionId id = connections.resolve(new InetSocketAddress(resolve(host), port));
        MessageEnd end = messages(device, id);
        MemoryRegion source = register(end, bytes, Access.LOCAL_WRITE, Access.REMOTE_READ);
        MemoryRegion sink = register(end, bytes, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        connections.connect(id, parameters());
        int done = 0;
        while (count == 0 || done < count) {
            RpingText.fill(source.segment(), done);
            offer(end, source);
            offer(end, sink);
            if (validate && source.segment().mismatch(sink.segment()) >= 0) {
                throw new CommandException("ping " + done + " came back with other bytes");
            }
            if (verbose) {
                say("ping data: %s".formatted(RpingText.read(sink.segment(), bytes)));
            }
            done++;
        }
        connections.disconnect(id);
        say("%d pings of %d bytes".formatted(done, bytes));
    }

    /// Offers memory and waits until the server has used it.
    private void offer(MessageEnd end, MemoryRegion region) {
        RpingAdvertisement.of(region).emit(end.outgoing());
        end.send(RpingAdvertisement.BYTES);
        end.awaitAllSent();
        end.awaitNextReceived();
        end.postReceives(1);
    }

    private void serve(Device device, Connections connections) {
        ConnectionId id = connections.await(ConnectionEvent.Type.CONNECT_REQUEST).id();
        MessageEnd end = messages(device, id);
        MemoryRegion text = register(end, RpingText.MOST_BYTES, Access.LOCAL_WRITE);
        id.accept(parameters());
        connections.await(ConnectionEvent.Type.ESTABLISHED);
        int done = 0;
        while (end.awaitNextReceivedOrEnd()) {
            int length = transfer(end, text, true);
            if (verbose) {
                say("server ping data: %s".formatted(RpingText.read(text.segment(), length)));
            }
            if (!end.awaitNextReceivedOrEnd()) {
                break;
            }
            transfer(end, text, false);
            done++;
        }
        connections.disconnect(id);
        id.close();
        say("served %d pings".formatted(done));
    }

    /// READs from, or WRITEs to, the memory that the client has just offered, and says that it is
    /// done.
    ///
    /// @return how many bytes
    private int transfer(MessageEnd end, MemoryRegion text, boolean read) {
        RpingAdvertisement offered = RpingAdvertisement.parse(end.incoming());
        end.postReceives(1);
        if (offered.length() < 0 || offered.length() > text.length()) {
            throw new CommandException(
                    "the client offers %s bytes; at most %d are valid"
                            .formatted(Integer.toUnsignedString(offered.length()), text.length()));
        }
        SendRequest request = new SendRequest().payload(text, 0, offered.length());
        end.post(
                read
                        ? request.read(offered.address(), offered.key())
                        : request.write(offered.address(), offered.key()));
        end.awaitAllSent();
        end.send(RpingAdvertisement.BYTES);
        end.awaitAllSentOrEnd();
        return offered.length();
    }

    private MessageEnd messages(Device device, ConnectionId id) {
        MessageEnd end =
                new MessageEnd(device, id, RpingAdvertisement.BYTES, MESSAGES_OUTSTANDING, limit());
        end.postReceives(2);
        return end;
    }

    private static MemoryRegion register(MessageEnd end, int bytes, Access... access) {
        return end.domain().register(Arena.ofAuto().allocate(bytes), access);
    }

    private static ConnectionParameters parameters() {
        return new ConnectionParameters(1, 1, 7, 7, new byte[0]);
    }
}
