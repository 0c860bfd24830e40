package dev.outboard.fabric.roce.nic;

import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.transport.PacketSink;
import dev.outboard.fabric.sim.network.DatagramSink;
import java.util.ArrayList;
import java.util.List;

/// A network that brings what a test says, and writes down what it is asked for.
final class ScriptedLink implements NicLink {
    final DatagramSink sink = new DatagramSink(4);
    final List<Integer> asked = new ArrayList<>();

    /// What happens, once, when packets are asked for; as many as it says came.
    Runnable arrival = () -> {};

    int arrived;

    /// When packets were asked for last.
    long nowNanos;

    int flushes;
    int flushedPackets;
    long deadlineNanos = Long.MAX_VALUE;

    @Override
    public int receive(int messages, long nowNanos, PacketHandler handler) {
        asked.add(messages);
        this.nowNanos = nowNanos;
        arrival.run();
        arrival = () -> {};
        int count = arrived;
        arrived = 0;
        return count;
    }

    @Override
    public PacketSink sink() {
        return sink;
    }

    @Override
    public void flush(long nowNanos) {
        flushes++;
        flushedPackets += sink.count();
        sink.clear();
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }
}
