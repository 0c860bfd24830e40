package dev.outboard.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.rc.DatagramSink;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;

/// A perfect packet for a connected queue pair from somebody who is not its peer (roce.md 3.6).
class WrongSourceTest {
    private static final String WRONG_SOURCE = "discarded.wrong-source";
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    @Test
    @Requirement("ROCE-RC-20")
    void onlyThePeerReachesAQueuePair() throws IOException {
        try (Device clientDevice = Fabric.open("roce://auto?peer=127.0.0.1");
                Device serverDevice = Fabric.open("roce://auto?peer=127.0.0.1");
                ConnectedPair pair = ConnectedPair.connect(clientDevice, serverDevice, 7_000)) {
            QueuePair victim = pair.server().queuePair();
            Map<String, Long> before = victim.counters();

            forge(InetAddress.getByName("127.93.0.1"), serverDevice.address(), victim.number());
            await(() -> serverDevice.counters().get(WRONG_SOURCE) == 1);
            assertThat(victim.counters()).as("dropped in silence").isEqualTo(before);
            assertThat(victim.state()).isEqualTo(QueuePairState.READY_TO_SEND);

            // The same from the peer's address: whatever its PSN, the queue pair takes notice.
            forge(clientDevice.address(), serverDevice.address(), victim.number());
            await(() -> !victim.counters().equals(before));
            assertThat(serverDevice.counters()).containsEntry(WRONG_SOURCE, 1L);
        }
    }

    /// Sends a SEND without payload, as a stack at `source` would.
    private static void forge(InetAddress source, InetAddress destination, int queuePairNumber)
            throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
            channel.bind(new InetSocketAddress(source, 0));
            int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
            DatagramSink sink = new DatagramSink(1);
            Opcode opcode = Opcode.SEND_ONLY;
            Bth.write(
                    sink.headerMemory(),
                    sink.headerOffset(),
                    opcode,
                    false,
                    0,
                    Bth.DEFAULT_PARTITION_KEY,
                    queuePairNumber,
                    false,
                    0);
            sink.finish(
                    new Path(Gid.of(source), Gid.of(destination), port, 0), opcode.headerLength());
            channel.send(
                    ByteBuffer.wrap(sink.bytes(0)),
                    new InetSocketAddress(destination, Path.DESTINATION_PORT));
        }
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }
}
