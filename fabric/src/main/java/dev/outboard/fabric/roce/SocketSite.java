package dev.outboard.fabric.roce;

import dev.outboard.fabric.drive.Drivers;
import dev.outboard.fabric.drive.Engine;
import dev.outboard.fabric.drive.ThreadDrivers;
import dev.outboard.fabric.roce.device.NetworkSite;
import dev.outboard.fabric.roce.io.Receiver;
import dev.outboard.fabric.roce.io.Route;
import dev.outboard.fabric.roce.io.Transmitter;
import dev.outboard.fabric.roce.io.UdpSocket;
import dev.outboard.fabric.roce.io.Waiter;
import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.roce.transport.TransmitListener;
import dev.outboard.fabric.roce.wire.IcrcVerifier;
import java.net.InetAddress;
import java.util.Map;

/// The place of a device on a real network: a socket, what packets pass through besides, and the
/// clock of the machine.
final class SocketSite implements NetworkSite {
    private final UdpSocket socket;
    private final Taps taps;
    private final Transmitter transmitter;
    private final Receiver receiver;
    private final Waiter waiter;

    /// Takes over `socket` and `taps`, unless it throws.
    SocketSite(UdpSocket socket, IcrcVerifier.Policy icrc, Taps taps) {
        this.socket = socket;
        this.taps = taps;
        transmitter = Transmitter.open(socket, TransmitListener.INDIFFERENT);
        receiver = new Receiver(socket, icrc);
        taps.attach(transmitter, receiver);
        waiter = new Waiter(socket);
    }

    @Override
    public void attach(TransmitListener listener) {
        transmitter.attach(listener);
    }

    @Override
    public Drivers drivers(Engine engine, String name) {
        return ThreadDrivers.start(engine, name);
    }

    @Override
    public int receiveBufferBytes() {
        return socket.receiveBufferBytes();
    }

    @Override
    public String problemTowards(InetAddress destination) {
        return Route.problem(socket.localAddress(), destination);
    }

    @Override
    public long nowNanos() {
        return System.nanoTime();
    }

    @Override
    public void await(long nanos) {
        waiter.await(nanos);
    }

    @Override
    public void wake() {
        waiter.wake();
    }

    @Override
    public int receive(int messages, long nowNanos, PacketHandler handler) {
        return receiver.receive(messages, nowNanos, handler);
    }

    @Override
    public PacketSink sink() {
        return transmitter;
    }

    @Override
    public void flush(long nowNanos) {
        transmitter.flush(nowNanos);
    }

    @Override
    public long deadlineNanos() {
        return Math.min(transmitter.deadlineNanos(), receiver.deadlineNanos());
    }

    @Override
    public void countersTo(Map<String, Long> counters) {
        transmitter.counters().copyTo(counters, "sent.");
        receiver.counters().copyTo(counters, "received.");
        receiver.flaws().copyTo(counters, "discarded.");
        counters.put("icrc.strict", receiver.verifier().strictOk());
        counters.put("icrc.solved", receiver.verifier().solved());
        counters.put("icrc.bad", receiver.verifier().bad());
        counters.put("received.buffer-bytes", (long) socket.receiveBufferBytes());
    }

    @Override
    public void close() {
        waiter.close();
        socket.close();
        taps.close();
    }
}
