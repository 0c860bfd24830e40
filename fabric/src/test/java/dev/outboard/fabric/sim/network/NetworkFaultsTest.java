package dev.outboard.fabric.sim.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NetworkFaultsTest {
    private static final NetworkFaults NONE = NetworkFaults.none(1_000);

    @Test
    void whatOnlyTakesTimeIsReliable() {
        assertThat(NONE.withJitter(1).withTurn(1).withBandwidth(1).isReliable()).isTrue();
        assertThat(
                        List.of(
                                NONE.withLoss(0.1),
                                NONE.withDuplication(0.1),
                                NONE.withReordering(0.1),
                                NONE.withCorruption(0.1),
                                NONE.withInbox(10)))
                .noneMatch(NetworkFaults::isReliable);
    }
}
