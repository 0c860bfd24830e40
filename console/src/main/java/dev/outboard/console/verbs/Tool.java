package dev.outboard.console.verbs;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Devices;
import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// What all tools have in common: they open one device, are server or client on it, and end. The
/// device closes whatever a tool has made from it.
abstract class Tool implements Callable<Integer> {
    @Spec private CommandSpec spec;

    /// The server that this client is to talk to; empty in a server.
    abstract Optional<String> server();

    /// Does the work.
    abstract void run(Device device) throws IOException;

    @Override
    public final Integer call() throws IOException {
        try (Devices.Share share = open()) {
            run(share.device());
            options().printStats(share.device(), out());
        } finally {
            out().flush();
        }
        return ExitCode.OK;
    }

    /// Opens the device of the role.
    Devices.Share open() {
        return server().map(options()::openTowards).orElseGet(options()::openServer);
    }

    /// The options that all tools have; each declares them behind its own, so that help lists them
    /// last.
    abstract ToolOptions options();

    /// How long to wait for the peer at each step.
    final Duration limit() {
        return options().limit();
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /// Prints a line at once.
    final void say(String line) {
        out().println(line);
        out().flush();
    }

    /// Says where a client finds this server.
    final void sayReady(Device device, int port) {
        InetAddress address = device.address();
        String host = address.getHostAddress();
        String shown = address instanceof Inet6Address ? "[" + host + "]" : host;
        say("ready at %s:%d, waiting for a client".formatted(shown, port));
    }

    /// The TCP connection to the peer: from the client to the address of the server.
    final ExchangeSocket openSocket(Device device, int port) throws IOException {
        if (server().isPresent()) {
            InetSocketAddress address = new InetSocketAddress(resolve(server().get()), port);
            return ExchangeSocket.connect(address, limit());
        }
        InetSocketAddress address = new InetSocketAddress(options().listenAddress(device), port);
        try (ServerSocket listener = ExchangeSocket.listen(address)) {
            sayReady(device, listener.getLocalPort());
            return ExchangeSocket.accept(listener, limit());
        }
    }

    /// Refuses a number that makes no sense.
    final void require(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(),
                    "%s is %d; valid: %d to %d".formatted(option, value, least, most));
        }
    }

    /// The address of `host`.
    static InetAddress resolve(String host) {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new CommandException("unknown host " + host, e);
        }
    }
}
