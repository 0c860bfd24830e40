package dev.outboard.fabric.roce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Deth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.Opcode;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.fabric.sim.network.DatagramReader;
import dev.outboard.fabric.sim.network.NetworkFaults;
import dev.outboard.fabric.sim.network.SimulatedNetwork;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Snapshot;
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
    private static final int SEEDS = 4;
    private static final double[] ROUND_TRIPS_MILLIS = {0.05, 1, 10, 50, 200};
    private static final double[] LOSSES = {0, 0.01};
    private static final Gid SERVICE = Gid.ofIpv4(0x0A4D_0002);
    private static final Gid CLIENT = Gid.ofIpv4(0x0A4D_0003);

    @Test
    @Requirement("ROCE-RC-33")
    void repetitionsPerRoundTripAndLossAreWhatTheyWere() {
        var table = new StringBuilder();
        table.append(
                "100 messages of up to 1000 bytes, each sent back, over one connection, sum\n");
        table.append(
                "of 4 seeds: packets that left twice, and round trips per message exchanged\n");
        table.append("  round trip     loss   repeated   round trips\n");
        for (double loss : LOSSES) {
            for (double millis : ROUND_TRIPS_MILLIS) {
                long repetitions = 0;
                long nanos = 0;
                for (long seed = 0; seed < SEEDS; seed++) {
                    Run run = new Run(seed, millis, loss);
                    run.toTheLastMessage();
                    repetitions += run.repetitions;
                    nanos += run.network.nowNanos();
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

    private static final class Run {
        private final SimulatedNetwork<Gid> network;
        private final EchoClient client;
        private final Set<Object> sent = new HashSet<>();
        private final DatagramReader service = new DatagramReader(SERVICE, Path.DESTINATION_PORT);
        private final DatagramReader peer = new DatagramReader(CLIENT, Path.DESTINATION_PORT);
        private long repetitions;

        /// A packet that should leave once.
        private record Once(Gid from, Opcode opcode, int psn, String datagram) {}

        Run(long seed, double roundTripMillis, double loss) {
            var random = new SplittableRandom(seed);
            var faults = NetworkFaults.none((long) (roundTripMillis * 1e6 / 2)).withLoss(loss);
            network = new SimulatedNetwork<>(random.split(), faults);
            network.filter(this::note);
            new EchoService(new SimulatedDevice(network, SERVICE, random.split()));
            SimulatedDevice device = new SimulatedDevice(network, CLIENT, random.split());
            client = EchoClient.of(device, SERVICE, MESSAGES, MAX_BYTES, random.split());
        }

        void toTheLastMessage() {
            while (client.completed() == 0) {
                assertThat(network.step()).isTrue();
            }
        }

        /// Datagrams of connection management get a new number each time.
        private boolean note(SimulatedNetwork.Datagram<Gid> datagram) {
            byte[] bytes = datagram.bytes();
            DatagramReader at = datagram.to().equals(SERVICE) ? service : peer;
            Packet packet = Objects.requireNonNull(at.read(datagram.from(), bytes));
            Once once =
                    packet.opcode().transport() == Opcode.Transport.UD
                            ? new Once(datagram.from(), packet.opcode(), 0, management(bytes))
                            : new Once(datagram.from(), packet.opcode(), packet.psn(), "");
            if (!sent.add(once)) {
                repetitions++;
            }
            return true;
        }

        private static String management(byte[] datagram) {
            int headers = Bth.LENGTH + Deth.LENGTH;
            return HexFormat.of().formatHex(datagram, headers, datagram.length - Icrc.LENGTH);
        }
    }
}
