package dev.outboard.fabric.roce.io;

import static dev.outboard.fabric.roce.io.Traffic.payload;
import static dev.outboard.fabric.roce.io.Traffic.send;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.io.Traffic.Arrival;
import dev.outboard.fabric.roce.transport.PacketHandler;
import dev.outboard.fabric.roce.wire.IcrcVerifier.Policy;
import dev.outboard.fabric.roce.wire.PacketFlaw;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.testkit.Requirement;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReceiverTest {
    private final UdpSocket near = Loopback.bind();
    private final UdpSocket far = Loopback.bind();
    private final Path path = Loopback.path(near, far);
    private final Transmitter transmitter = Transmitter.open(near, new Traffic.Listener());
    private final Receiver receiver = new Receiver(far, Policy.SOLVE);

    @AfterEach
    void close() {
        near.close();
        far.close();
    }

    @Test
    void takesACoalescedMessageApart() {
        for (int i = 0; i < 10; i++) {
            send(transmitter, path, i, payload(1000 - i / 9 * 500));
        }
        transmitter.flush(0);

        List<Arrival> arrivals = Traffic.receive(far, receiver, 10);
        assertThat(arrivals).extracting(Arrival::psn).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(arrivals.getLast().payload()).hasSize(500);
        assertThat(receiver.counters().get(ReceiveCounter.CALLS)).isEqualTo(1);
        assertThat(receiver.counters().get(ReceiveCounter.PACKETS)).isEqualTo(10);
        assertThat(receiver.counters().get(ReceiveCounter.BYTES)).isEqualTo(9 * 1016 + 516);
    }

    @Test
    void checksEachPacketOfAMessageOnItsOwn() {
        edit((index, frame) -> {
            if (index == 2) {
                Editing.flip(frame, 8 * 20);
            }
            return (int) frame.byteSize();
        });
        for (int i = 0; i < 4; i++) {
            send(transmitter, path, i, payload(64));
        }
        transmitter.flush(0);

        assertThat(Traffic.receive(far, receiver, 3))
                .extracting(Arrival::psn)
                .containsExactly(0, 1, 3);
        assertThat(receiver.flaws().get(PacketFlaw.BAD_ICRC)).isEqualTo(1);
        assertThat(receiver.flaws().total()).isEqualTo(1);
    }

    @Test
    @Requirement("ROCE-PKT-5")
    void countsByReasonWhatIsNoPacketAndGoesOn() {
        List<PacketFlaw> reasons =
                List.of(
                        PacketFlaw.TOO_SHORT,
                        PacketFlaw.TOO_SHORT,
                        PacketFlaw.NOT_MULTIPLE_OF_4,
                        PacketFlaw.BAD_TRANSPORT_VERSION,
                        PacketFlaw.UNKNOWN_OPCODE,
                        PacketFlaw.QPN_ZERO);
        edit(ReceiverTest::spoil);
        for (int i = 0; i <= reasons.size(); i++) {
            send(transmitter, path, i, payload(8));
        }
        transmitter.flush(0);

        assertThat(Traffic.receive(far, receiver, 1))
                .extracting(Arrival::psn)
                .containsExactly(reasons.size());
        for (PacketFlaw reason : PacketFlaw.values()) {
            assertThat(receiver.flaws().get(reason))
                    .as(reason.name())
                    .isEqualTo(reasons.stream().filter(reason::equals).count());
        }
    }

    private static int spoil(int index, MemorySegment frame) {
        int length = (int) frame.byteSize();
        return switch (index) {
            case 0 -> 0;
            case 1 -> 12;
            case 2 -> length - 1;
            case 3 -> {
                frame.set(JAVA_BYTE, 1, (byte) 1);
                yield length;
            }
            case 4 -> {
                frame.set(JAVA_BYTE, 0, (byte) 0x1F);
                yield length;
            }
            case 5 -> {
                frame.asSlice(5, 3).fill((byte) 0);
                yield length;
            }
            default -> length;
        };
    }

    @Test
    @Requirement("ROCE-PKT-1")
    void hearsPeersFromAnyPort() {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            try (UdpSocket other = UdpSocket.bind(near.localAddress(), 0)) {
                Transmitter elsewhere = Transmitter.open(other, new Traffic.Listener());
                send(elsewhere, Loopback.path(other, far), i, payload(8));
                elsewhere.flush(0);
                ports.add(other.localPort());
            }
        }

        List<Arrival> arrivals = Traffic.receive(far, receiver, 3);
        assertThat(arrivals).extracting(Arrival::psn).containsExactly(0, 1, 2);
        assertThat(arrivals).extracting(Arrival::sourcePort).isEqualTo(ports);
    }

    @Test
    @Requirement("ROCE-SOCK-6")
    void countsWhatTheSocketHadNoRoomFor() {
        assertThat(far.option(UdpSocket.SOL_SOCKET, UdpSocket.SO_RCVBUF, 16_384)).isZero();
        transmitter.disableSegmentation();
        for (int i = 0; i < 100; i++) {
            send(transmitter, path, i, payload(4096));
        }
        transmitter.flush(0);
        int kept = Traffic.receiveAll(receiver, new ArrayList<>());
        assertThat(kept).isBetween(1, 20);

        // The kernel tells the total along with the next datagram that finds room.
        send(transmitter, path, 100, payload(8));
        transmitter.flush(0);
        assertThat(Traffic.receive(far, receiver, 1)).hasSize(1);
        assertThat(receiver.counters().get(ReceiveCounter.OVERFLOWS)).isEqualTo(100 - kept);

        // It goes on to tell the same total with each datagram.
        send(transmitter, path, 101, payload(8));
        transmitter.flush(0);
        assertThat(Traffic.receive(far, receiver, 1)).hasSize(1);
        assertThat(receiver.counters().get(ReceiveCounter.OVERFLOWS)).isEqualTo(100 - kept);
    }

    @Test
    void tellsWhatTheIcrcSaysOfTheIpHeader() {
        for (int i = 0; i < 4; i++) {
            send(transmitter, path, i, payload(100));
        }
        transmitter.flush(0);

        List<Integer> identifications = new ArrayList<>();
        PacketHandler handler =
                (packet, now) -> {
                    identifications.add(packet.identification());
                    assertThat(packet.isDontFragment()).isTrue();
                };
        receiver.receive(10, 0, handler);
        assertThat(identifications).containsExactly(0, 1, 2, 3);
    }

    @Test
    void stopsAfterTheMessagesItWasAskedFor() {
        transmitter.disableSegmentation();
        for (int i = 0; i < 5; i++) {
            send(transmitter, path, i, payload(8));
        }
        transmitter.flush(0);

        List<Integer> psns = new ArrayList<>();
        assertThat(receiver.receive(2, 7, (packet, now) -> psns.add(packet.psn() + (int) now)))
                .isEqualTo(2);
        assertThat(psns).containsExactly(7, 8);
    }

    private void edit(Editing.Edit edit) {
        transmitter.tap(next -> new Editing(edit, next));
    }
}
