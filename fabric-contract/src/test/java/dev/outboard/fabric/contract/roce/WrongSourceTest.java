package dev.outboard.fabric.contract.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairState;
import dev.outboard.fabric.contract.ConnectedPair;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.net.InetAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A perfect packet for a connected queue pair from somebody who is not its peer (roce.md 3.6).
class WrongSourceTest {
    private static final String WRONG_SOURCE = "discarded.wrong-source";

    @Test
    @Requirement("ROCE-RC-20")
    void onlyThePeerReachesAQueuePair() {
        try (Device clientDevice = RoceLoopback.open();
                Device serverDevice = RoceLoopback.open();
                ConnectedPair pair = ConnectedPair.connect(clientDevice, serverDevice, 7_000)) {
            QueuePair victim = pair.server().queuePair();
            Map<String, Long> before = victim.counters();

            forge(InetAddress.ofLiteral("127.93.0.1"), serverDevice, victim.number());
            Eventually.until(() -> serverDevice.counters().getOrDefault(WRONG_SOURCE, 0L) == 1);
            assertThat(victim.counters()).as("dropped in silence").isEqualTo(before);
            assertThat(victim.state()).isEqualTo(QueuePairState.READY_TO_SEND);

            // The same from the peer's address: whatever its PSN, the queue pair takes notice.
            forge(clientDevice.address(), serverDevice, victim.number());
            Eventually.until(() -> !victim.counters().equals(before));
            assertThat(serverDevice.counters()).containsEntry(WRONG_SOURCE, 1L);
        }
    }

    /// Sends a SEND without payload, as a stack at `source` would.
    private static void forge(InetAddress source, Device victim, int queuePairNumber) {
        try (Stranger stranger = Stranger.pretendingToBe(source, victim)) {
            stranger.send(queuePairNumber, 0, new byte[0]);
        }
    }
}
