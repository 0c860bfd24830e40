package dev.outboard.fabric.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.PacketWatch;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.WatchedPacket;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Who watches the packets of a device sees what is on the wire.
class PacketWatchTest {
    private static final int BYTES = 5000;

    /// The number that [VerbsEnd] begins with.
    private static final int FIRST = 2000;

    private record Seen(
            boolean isSent,
            int pair,
            String opcode,
            int psn,
            int bytes,
            boolean isNext,
            boolean isAgain) {
        private static Seen of(WatchedPacket packet) {
            return new Seen(
                    packet.isSent(),
                    packet.queuePairNumber(),
                    packet.opcode(),
                    packet.packetSequenceNumber(),
                    packet.payloadBytes(),
                    packet.isNext(),
                    packet.isAgain());
        }
    }

    private static List<Seen> watch(Device device) {
        List<Seen> seen = Collections.synchronizedList(new ArrayList<>());
        device.watchPackets(packet -> seen.add(Seen.of(packet)));
        return seen;
    }

    private static List<Seen> requests(List<Seen> all) {
        return all.stream().filter(seen -> !seen.opcode.equals("ACKNOWLEDGE")).toList();
    }

    private static Device open(String kind, int number) {
        return kind.equals("sim")
                ? Fabric.open("sim://watch/10.0.0." + number)
                : RoceLoopback.open();
    }

    private static void write(VerbsEnd from, VerbsEnd to, int id) {
        to.postReceive(id);
        from.post(
                new SendRequest()
                        .id(id)
                        .writeWithImmediate(to.region().address(), to.region().remoteKey(), 7)
                        .payload(from.region(), 0, BYTES));
        assertThat(to.status()).isEqualTo(id + " SUCCESS");
        assertThat(from.status()).isEqualTo(id + " SUCCESS");
    }

    @ParameterizedTest
    @ValueSource(strings = {"roce", "sim"})
    void bothSidesSeeEachPacketOfAMessage(String kind) {
        try (Device near = open(kind, 1);
                Device far = open(kind, 2);
                VerbsEnd from = new VerbsEnd(near).create();
                VerbsEnd to = new VerbsEnd(far).create()) {
            VerbsEnd.connect(from, to);
            List<Seen> sent = watch(near);
            List<Seen> received = watch(far);

            write(from, to, 1);

            assertThat(firstTimes(sent)).isEqualTo(message(true, from.queuePair().number()));
            assertThat(firstTimes(received)).isEqualTo(message(false, to.queuePair().number()));
            assertThat(received).anyMatch(seen -> seen.isSent && acknowledges(seen));
            assertThat(sent).anyMatch(seen -> !seen.isSent && acknowledges(seen));
        }
    }

    /// A busy machine sends again what nobody has lost.
    private static List<Seen> firstTimes(List<Seen> all) {
        return requests(all).stream().filter(seen -> !seen.isAgain).toList();
    }

    private static boolean acknowledges(Seen seen) {
        return seen.opcode.equals("ACKNOWLEDGE") && seen.psn == FIRST + 4 && seen.bytes == 0;
    }

    private static List<Seen> message(boolean isSent, int pair) {
        List<String> opcodes =
                List.of(
                        "WRITE_FIRST",
                        "WRITE_MIDDLE",
                        "WRITE_MIDDLE",
                        "WRITE_MIDDLE",
                        "WRITE_LAST_IMM");
        List<Seen> message = new ArrayList<>();
        for (int i = 0; i < opcodes.size(); i++) {
            int bytes = Math.min(1024, BYTES - 1024 * i);
            message.add(new Seen(isSent, pair, opcodes.get(i), FIRST + i, bytes, true, false));
        }
        return message;
    }

    @Test
    void whatIsSentAgainSaysSo() {
        try (Device near = Fabric.open("sim://lossy/10.0.0.1?seed=3&loss=20%25");
                Device far = Fabric.open("sim://lossy/10.0.0.2");
                VerbsEnd from = new VerbsEnd(near).create();
                VerbsEnd to = new VerbsEnd(far).create()) {
            VerbsEnd.connect(from, to);
            List<Seen> sent = watch(near);
            for (int id = 1; id <= 4; id++) {
                write(from, to, id);
            }

            List<Seen> first = firstTimes(sent);
            assertThat(first).extracting(Seen::psn).hasSize(20).first().isEqualTo(FIRST);
            assertThat(first).extracting(Seen::psn).doesNotHaveDuplicates().isSorted();
            assertThat(requests(sent))
                    .filteredOn(Seen::isAgain)
                    .isNotEmpty()
                    .allMatch(again -> again.psn < FIRST + 20)
                    .anyMatch(again -> !again.isNext);
        }
    }

    @Test
    void nothingIsToldAfterTheEndAndFailuresAreCounted() {
        try (Device near = Fabric.open("sim://watch/10.0.0.1");
                Device far = Fabric.open("sim://watch/10.0.0.2");
                VerbsEnd from = new VerbsEnd(near).create();
                VerbsEnd to = new VerbsEnd(far).create()) {
            VerbsEnd.connect(from, to);
            near.watchPackets(_ -> {
                throw new IllegalArgumentException("of the test");
            });
            write(from, to, 1);
            long failures = near.counters().getOrDefault("packets.watch-failures", 0L);
            assertThat(failures).isGreaterThanOrEqualTo(6);

            near.watchPackets(PacketWatch.NONE);
            write(from, to, 2);
            assertThat(near.counters()).containsEntry("packets.watch-failures", failures);
        }
    }

    @Test
    void aClosedDeviceMayBeLeftAlone() {
        Device device = Fabric.open("sim://watch/10.0.0.1");
        device.close();

        device.watchPackets(PacketWatch.NONE);

        assertThat(device.isOpen()).isFalse();
    }
}
