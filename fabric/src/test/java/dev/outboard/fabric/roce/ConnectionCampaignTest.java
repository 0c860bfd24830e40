package dev.outboard.fabric.roce;

import static dev.outboard.fabric.roce.Simulation.percent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.outboard.fabric.ConnectionEvent;
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
        Seeds.parallelCampaign(
                SEEDS,
                seed -> {
                    try (Run run = new Run(seed)) {
                        run.peaceful();
                    }
                });
    }

    @Test
    void aServiceThatDiesIsNoticedAndNothingIsLeft() {
        Seeds.parallelCampaign(
                SEEDS,
                seed -> {
                    try (Run run = new Run(seed)) {
                        run.deadly();
                    }
                });
    }

    private static final class Run implements AutoCloseable {
        private final SplittableRandom random;
        private final Simulation simulation;
        private final SimulatedHost serviceHost;
        private final SimulatedHost clientHost;
        private final EchoService service;
        private final EchoClient client;
        private final int rounds;

        Run(long seed) {
            random = new SplittableRandom(seed);
            simulation = new Simulation("seed=" + seed + faults(random.split()));
            boolean ipv6 = random.nextBoolean();
            serviceHost = simulation.host(ipv6 ? "fd77::2" : "10.77.0.2");
            clientHost = simulation.host(ipv6 ? "fd77::3" : "10.77.0.3");
            service = new EchoService(serviceHost);
            rounds = random.nextInt(1, 5);
            client =
                    new EchoClient(
                            simulation, clientHost, serviceHost.address(), rounds, random.split());
        }

        private static String faults(SplittableRandom random) {
            return "&loss="
                    + percent(random.nextDouble(0.1))
                    + "&duplicate="
                    + percent(random.nextDouble(0.1))
                    + "&reorder="
                    + percent(random.nextDouble(0.1))
                    + "&corrupt="
                    + percent(random.nextDouble(0.05))
                    + "&latency="
                    + random.nextLong(1_000, 5_000_000)
                    + "ns&jitter="
                    + random.nextLong(1_000_000)
                    + "ns&idle="
                    + random.nextLong(100_000)
                    + "ns";
        }

        void peaceful() {
            runUntilQuiet(Long.MAX_VALUE);

            assertThat(client.completed()).as("%s", client.story()).isEqualTo(rounds);
            assertThat(Collections.frequency(client.story(), ConnectionEvent.Type.ESTABLISHED))
                    .isEqualTo(rounds);
            assertThat(service.established()).isEqualTo(rounds);
            assertThat(service.ended()).isEqualTo(rounds);
            assertThat(service.open()).isZero();
            assertThat(simulation.network().nextNanos()).isEqualTo(Simulation.NEVER);
            client.close();
            serviceHost.assertNothingIsLeft();
            clientHost.assertNothingIsLeft();
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
            assertThat(simulation.network().nextNanos()).isEqualTo(Simulation.NEVER);
            client.close();
            clientHost.assertNothingIsLeft();
        }

        private void runUntilQuiet(long deathNanos) {
            boolean isDead = false;
            for (int steps = 0; simulation.step(); steps++) {
                if (steps == MAX_STEPS) {
                    fail("goes on and on");
                }
                if (!isDead && simulation.nowNanos() >= deathNanos) {
                    isDead = true;
                    simulation.kill(serviceHost.address());
                }
            }
        }

        @Override
        public void close() {
            simulation.close();
        }
    }
}
