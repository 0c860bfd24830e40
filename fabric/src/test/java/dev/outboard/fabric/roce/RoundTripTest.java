package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Deth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.SimNetwork;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Snapshot;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Small messages to and fro over ways of any length, the handshake included: how often packets
/// leave twice, and how long it takes.
class RoundTripTest {
    private static final int MESSAGES = 100;
    private static final int MAX_BYTES = 1000;
    private static final int SEEDS = 32;
    private static final double[] ROUND_TRIPS_MILLIS = {0.05, 1, 10, 50, 200};
    private static final double[] LOSSES = {0, 0.01};
    private static final String SERVICE = "10.77.0.2";
    private static final String CLIENT = "10.77.0.3";

    @Test
    @Requirement("ROCE-RC-33")
    void repetitionsPerRoundTripAndLossAreWhatTheyWere() {
        var table = new StringBuilder();
        table.append(
                "100 messages of up to 1000 bytes, each sent back, over one connection, sum\n");
        table.append(
                "of 32 seeds: packets that left twice, and round trips per message exchanged\n");
        table.append("  round trip     loss   repeated   round trips\n");
        for (double loss : LOSSES) {
            for (double millis : ROUND_TRIPS_MILLIS) {
                long repetitions = 0;
                long nanos = 0;
                for (long seed = 0; seed < SEEDS; seed++) {
                    try (Run run = new Run(seed, millis, loss)) {
                        run.toTheLastMessage();
                        repetitions += run.repetitions;
                        nanos += run.simulation.nowNanos();
                    }
                }
                if (loss == 0) {
                    assertThat(repetitions).as("without loss, %s ms", millis).isZero();
                }
                table.append(
                        String.format(
                                Locale.ROOT,
                                "%9.2f ms %7.1f%% %10d %13.2f%n",
                                millis,
                                loss * 100,
                                repetitions,
                                nanos / (millis * 1e6) / SEEDS / MESSAGES));
            }
        }
        Snapshot.assertUnchanged("round-trips.txt", table.toString());
    }

    private static final class Run implements AutoCloseable {
        private final Simulation simulation;
        private final EchoClient client;
        private final Set<Object> sent = new HashSet<>();
        private final DatagramReader service = reader(SERVICE);
        private final DatagramReader peer = reader(CLIENT);
        private long repetitions;

        /// A packet that should leave once.
        private record Once(InetAddress from, Opcode opcode, int psn, String datagram) {}

        Run(long seed, double roundTripMillis, double loss) {
            var random = new SplittableRandom(seed);
            long latencyNanos = (long) (roundTripMillis * 1e6 / 2);
            simulation =
                    new Simulation(
                            "seed=%d&latency=%dns&loss=%s"
                                    .formatted(seed, latencyNanos, Simulation.percent(loss)));
            SimulatedHost service = simulation.host(SERVICE);
            simulation.network().filter(this::note);
            new EchoService(service);
            client =
                    EchoClient.of(
                            simulation,
                            simulation.host(CLIENT),
                            service.address(),
                            MESSAGES,
                            MAX_BYTES,
                            random.split());
        }

        void toTheLastMessage() {
            while (client.completed() == 0) {
                assertThat(simulation.step()).isTrue();
            }
        }

        /// Datagrams of connection management get a new number each time.
        private boolean note(SimNetwork.Frame frame) {
            byte[] bytes = frame.bytes();
            boolean isForService = frame.to().getHostAddress().equals(SERVICE);
            DatagramReader at = isForService ? service : peer;
            Packet packet = Objects.requireNonNull(at.read(Gid.of(frame.from()), bytes));
            Once once =
                    packet.opcode().transport() == Opcode.Transport.UD
                            ? new Once(frame.from(), packet.opcode(), 0, management(bytes))
                            : new Once(frame.from(), packet.opcode(), packet.psn(), "");
            if (!sent.add(once)) {
                repetitions++;
            }
            return true;
        }

        private static DatagramReader reader(String address) {
            return new DatagramReader(
                    Gid.of(InetAddress.ofLiteral(address)), Path.DESTINATION_PORT);
        }

        @Override
        public void close() {
            simulation.close();
        }

        private static String management(byte[] datagram) {
            int headers = Bth.LENGTH + Deth.LENGTH;
            return HexFormat.of().formatHex(datagram, headers, datagram.length - Icrc.LENGTH);
        }
    }
}
