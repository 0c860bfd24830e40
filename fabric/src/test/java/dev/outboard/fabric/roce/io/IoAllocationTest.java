package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.wire.IcrcVerifier.Policy;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IoAllocationTest {
    private static final int PACKETS = 100_000;

    /// The compiler decides how many rounds it takes until code is warm.
    private static final int MAX_ROUNDS = 30;

    /// What the measurement itself may take, however many packets there are.
    private static final long SLACK_BYTES = 10_000;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final UdpSocket near = Loopback.bind();
    private final UdpSocket far = Loopback.bind();
    private final Path path = Loopback.path(near, far);
    private final Transmitter transmitter = Transmitter.open(near, new Traffic.Listener());
    private final Receiver receiver = new Receiver(far, Policy.SOLVE);
    private final Payload small = Traffic.payload(64);
    private final Payload large = Traffic.payload(4096);
    private final PacketHandler counting = this::count;
    private long bytes;

    @AfterEach
    void close() {
        near.close();
        far.close();
    }

    @Test
    void nothingIsAllocatedPerPacketOnceWarm() {
        long allocated = Long.MAX_VALUE;
        int rounds = 0;
        while (rounds < MAX_ROUNDS && allocated > SLACK_BYTES) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            sendAndReceive(PACKETS);
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            rounds++;
        }

        assertThat(allocated).as("after %d rounds", rounds).isLessThanOrEqualTo(SLACK_BYTES);
        assertThat(receiver.counters().get(ReceiveCounter.PACKETS))
                .isEqualTo((long) rounds * PACKETS);
        assertThat(bytes).isEqualTo((long) rounds * PACKETS / 2 * (64 + 4096));
        assertThat(receiver.flaws().total()).isZero();
    }

    /// Alternates runs of ten small and ten large packets.
    private void sendAndReceive(int count) {
        for (int i = 0; i < count; i += 20) {
            sendTen(i, small);
            sendTen(i + 10, large);
            transmitter.flush(0);
            int left = 20;
            while (left > 0) {
                left -= receiver.receive(1, 0, counting);
            }
        }
    }

    private void sendTen(int psn, Payload payload) {
        for (int i = 0; i < 10; i++) {
            Traffic.send(transmitter, path, psn + i, payload);
        }
    }

    private void count(Packet packet, long nowNanos) {
        bytes += packet.payloadLength();
    }
}
