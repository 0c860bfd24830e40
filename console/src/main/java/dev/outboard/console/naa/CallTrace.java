package dev.outboard.console.naa;

import dev.outboard.dpa.trace.Trace;
import dev.outboard.dpa.trace.TraceMerge;
import dev.outboard.dpa.trace.Tracer;
import dev.outboard.fabric.Device;
import dev.outboard.naa.RpcResult;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.SetupTimes;
import dev.outboard.node.watch.NicTrace;
import dev.outboard.terminal.CommandException;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// `--trace FILE` of a command that calls: what its RPCs did, step by step, for Perfetto. Without
/// the option it does nothing.
public final class CallTrace {
    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Write what happened, step by step, to FILE, which https://ui.perfetto.dev opens.")
    private @Nullable Path file;

    private final Trace trace = Tracer.monotonic().start(Trace.MOST_EVENTS);
    private Optional<NicTrace> nic = Optional.empty();

    /// Whether it was asked for.
    public boolean isOn() {
        return file != null;
    }

    /// The file, if it was asked for.
    public Path file() {
        return Objects.requireNonNull(file, "file");
    }

    /// Packets of a device are shown, too.
    public void watch(Device device) {
        if (file != null) {
            nic = Optional.of(new NicTrace(device));
        }
    }

    /// A connection was set up, just now, of the device that is watched.
    public void setUp(NaaClient client) {
        if (file == null) {
            return;
        }
        nic.ifPresent(
                packets -> packets.connected(client.queuePairNumber(), client.localAddress()));
        SetupTimes times = client.setupTimes();
        long at = System.nanoTime() - times.totalNanos();
        at = step("connection", "address and route", at, times.addressNanos() + times.routeNanos());
        at = step("connection", "connect", at, times.handshakeNanos());
        at = step("connection", "register memory", at, times.registrationNanos());
        step("connection", "region setup", at, times.mrspNanos());
    }

    private long step(String track, String name, long from, long nanos) {
        trace.slice(group(), track, name, from, from + nanos, 0);
        return from + nanos;
    }

    /// An RPC has ended that was begun then.
    public void called(NaaClient client, long fromNanos, RpcResult result) {
        if (file == null) {
            return;
        }
        long id = client.rpcId();
        long sent = fromNanos + result.sendNanos();
        long computed = sent + result.computeNanos();
        long end = computed + result.receiveNanos();
        String name = "function " + client.functionCode();
        trace.slice(group(), "RPC", name, fromNanos, end, id);
        trace.slice(group(), "RDMA", "WRITE inputs", fromNanos, sent, id);
        trace.slice(group(), "RDMA", "wait for the answer", sent, computed, 0);
        trace.slice(group(), "RDMA", "WRITEs of the answer arrive", computed, end, id);
    }

    private static String group() {
        return "client, process " + ProcessHandle.current().pid();
    }

    /// Writes the file, if one was asked for.
    ///
    /// @param others traces of other processes, which it holds too
    /// @throws CommandException if it cannot be written
    public void write(List<Path> others) {
        if (file != null) {
            write(file, out -> writeWith(others, out));
        }
    }

    private void writeWith(List<Path> others, OutputStream out) throws IOException {
        ByteArrayOutputStream own = new ByteArrayOutputStream();
        List<Trace> ours = new ArrayList<>(List.of(trace));
        nic.ifPresent(packets -> {
            packets.close();
            ours.add(packets.trace());
        });
        Trace.writeAll(ours, own);
        List<byte[]> all = new ArrayList<>(List.of(own.toByteArray()));
        for (Path other : others) {
            all.add(Files.readAllBytes(other));
        }
        TraceMerge.merge(all, out);
    }

    /// What is in a file.
    interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    /// Writes the file of a trace.
    ///
    /// @throws CommandException if it cannot be written
    static void write(Path file, Content content) {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            content.writeTo(out);
        } catch (IOException e) {
            throw new CommandException(
                    "the trace %s cannot be written: %s".formatted(file, e.getMessage()), e);
        }
    }
}
