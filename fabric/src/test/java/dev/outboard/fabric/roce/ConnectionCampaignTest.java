package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.ConnectionEvent;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.testkit.Seeds;
import java.util.Collections;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Connection manager and queue pairs together over one faulty network: connect, exchange messages,
/// disconnect, again and again; at the end nothing is left on either side.
class ConnectionCampaignTest {
    private static final int SEEDS = 300;

    /// More steps than any run takes that comes to an end.
    private static final int MAX_STEPS = 1_000_000;

    @Test
    void everyRoundComesBackAndNothingIsLeft() {
        Seeds.campaign(SEEDS, seed -> new Run(seed).peaceful());
    }

    @Test
    void aServiceThatDiesIsNoticedAndNothingIsLeft() {
        Seeds.campaign(SEEDS, seed -> new Run(seed).deadly());
    }

    private static final class Run {
        private final SplittableRandom random;
        private final SimulatedNetwork<Gid> network;
        private final SimulatedDevice serviceDevice;
        private final SimulatedDevice clientDevice;
        private final EchoService service;
        private final EchoClient client;
        private final int rounds;
        private final Gid serviceAddress;

        Run(long seed) {
            random = new SplittableRandom(seed);
            network = new SimulatedNetwork<>(random.split(), faults(random.split()));
            boolean ipv6 = random.nextBoolean();
            serviceAddress = address(ipv6, 2);
            serviceDevice = new SimulatedDevice(network, serviceAddress, random.split());
            clientDevice = new SimulatedDevice(network, address(ipv6, 3), random.split());
            service = new EchoService(serviceDevice);
            rounds = random.nextInt(1, 5);
            client = new EchoClient(clientDevice, serviceAddress, rounds, random.split());
        }

        private static Gid address(boolean ipv6, int host) {
            return ipv6 ? new Gid(0xFD77L << 48, host) : Gid.ofIpv4(0x0A4D_0000 + host);
        }

        private static NetworkFaults faults(SplittableRandom random) {
            double loss = random.nextDouble(0.1);
            double duplication = random.nextDouble(0.1);
            double reordering = random.nextDouble(0.1);
            double corruption = random.nextDouble(0.05);
            long delayNanos = random.nextLong(1_000, 5_000_000);
            long jitterNanos = random.nextLong(1_000_000);
            long turnNanos = random.nextLong(100_000);
            int inboxDatagrams = Integer.MAX_VALUE;
            return NetworkFaults.none(delayNanos)
                    .withLoss(loss)
                    .withDuplication(duplication)
                    .withReordering(reordering)
                    .withCorruption(corruption)
                    .withJitter(jitterNanos)
                    .withTurn(turnNanos)
                    .withInbox(inboxDatagrams);
        }

        void peaceful() {
            runUntilQuiet(Long.MAX_VALUE);

            assertThat(client.completed()).as("%s", client.story()).isEqualTo(rounds);
            assertThat(Collections.frequency(client.story(), ConnectionEvent.Type.ESTABLISHED))
                    .isEqualTo(rounds);
            assertThat(service.established()).isEqualTo(rounds);
            assertThat(service.ended()).isEqualTo(rounds);
            assertThat(service.open()).isZero();
            assertNothingIsLeft(serviceDevice);
            assertNothingIsLeft(clientDevice);
        }

        void deadly() {
            runUntilQuiet(random.nextLong(200_000_000));

            assertThat(client.completed()).isLessThanOrEqualTo(rounds);
            assertThat(
                            Collections.frequency(client.story(), ConnectionEvent.Type.ESTABLISHED)
                                    + Collections.frequency(
                                            client.story(), ConnectionEvent.Type.UNREACHABLE))
                    .as("%s", client.story())
                    .isEqualTo(rounds);
            assertNothingIsLeft(clientDevice);
        }

        private void runUntilQuiet(long deathNanos) {
            boolean isDead = false;
            for (int steps = 0; network.step(); steps++) {
                assertThat(steps).isLessThan(MAX_STEPS);
                if (!isDead && network.nowNanos() >= deathNanos) {
                    isDead = true;
                    network.detach(serviceAddress);
                }
            }
        }

        private static void assertNothingIsLeft(SimulatedDevice device) {
            assertThat(device.connectionCount()).isZero();
            assertThat(device.queuePairCount()).isZero();
            assertThat(device.deadlineNanos()).isEqualTo(SimulatedNetwork.NEVER);
        }
    }
}
