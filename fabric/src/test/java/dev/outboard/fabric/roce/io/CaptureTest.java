package dev.outboard.fabric.roce.io;

import static dev.outboard.fabric.roce.io.Traffic.payload;
import static dev.outboard.fabric.roce.io.Traffic.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.pcapng.PcapngFile;
import dev.outboard.fabric.roce.wire.IcrcVerifier.Policy;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.testkit.CaptureFile;
import dev.outboard.testkit.CaptureFile.Entry;
import dev.outboard.testkit.Tshark;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureTest {
    private static final int INBOUND = 1;
    private static final int OUTBOUND = 2;

    private final UdpSocket near = Loopback.bind();
    private final UdpSocket far = Loopback.bind();
    private final Path path = Loopback.path(near, far);
    private final Transmitter transmitter = Transmitter.open(near, new Traffic.Listener());
    private final Receiver receiver = new Receiver(far, Policy.SOLVE);

    private Instant now = Instant.parse("2026-01-02T03:04:05.678901234Z");
    private java.nio.file.Path file = java.nio.file.Path.of("");

    @BeforeEach
    void nameTheFile(@TempDir java.nio.file.Path directory) {
        file = directory.resolve("test.pcapng");
    }

    @AfterEach
    void close() {
        near.close();
        far.close();
    }

    @Test
    void showsWhatIsSentAndWhatArrives() {
        try (Capture capture = open()) {
            transmitter.tap(capture::outbound);
            receiver.tap(capture::inbound);
            sendAndReceive(3, 1000);
        }

        List<Entry> entries = CaptureFile.read(file);
        assertThat(entries)
                .extracting(Entry::direction)
                .containsExactly(OUTBOUND, OUTBOUND, OUTBOUND, INBOUND, INBOUND, INBOUND);
        assertThat(entries).extracting(Entry::psn).containsExactly(0, 1, 2, 0, 1, 2);
        assertThat(entries).extracting(Entry::comment).containsOnly("");
        assertThat(entries).extracting(Entry::epochNanos).containsOnly(1_767_323_045_678_901_234L);
        assertThat(entries.get(3).packet()).isEqualTo(entries.get(0).packet());
    }

    @Test
    void showsTheIdentificationThatTheSenderUsed() {
        try (Capture capture = open()) {
            receiver.tap(capture::inbound);
            sendAndReceive(5, 1000);
        }

        assertThat(CaptureFile.read(file))
                .extracting(Entry::identification)
                .containsExactly(0, 1, 2, 3, 4);
        assertThat(receiver.verifier().solved()).as("as without a capture").isEqualTo(4);
    }

    @Test
    void showsTheTrafficClassOfEachPacket() {
        Path marked = new Path(path.source(), path.destination(), path.sourcePort(), 0x6A);
        try (Capture capture = open()) {
            receiver.tap(capture::inbound);
            send(transmitter, marked, 0, payload(8));
            send(transmitter, path, 1, payload(8));
            transmitter.flush(0);
            Traffic.receive(far, receiver, 2);
        }

        assertThat(CaptureFile.read(file)).extracting(Entry::trafficClass).containsExactly(0x6A, 0);
    }

    @Test
    void saysWhichPacketsTheReceiverDiscards() {
        try (Capture capture = open()) {
            receiver.tap(capture::inbound);
            transmitter.tap(next ->
                    new Editing(
                            (index, frame) -> {
                                Editing.flip(frame, index == 0 ? 8 * 40 : 8);
                                return (int) frame.byteSize();
                            },
                            next));
            send(transmitter, path, 0, payload(64));
            send(transmitter, path, 1, payload(64));
            transmitter.flush(0);
            receiver.receive(10, 0, (packet, time) -> {});
        }

        assertThat(CaptureFile.read(file))
                .extracting(Entry::comment)
                .containsExactly("discarded: wrong ICRC", "discarded: transport version is not 0");
    }

    @Test
    void showsTheWireNotWhatFaultsMakeOfIt() {
        Faults everythingIsLost = Faults.parse("loss=100%");
        SplittableRandom random = new SplittableRandom(1);
        List<Traffic.Arrival> arrivals = new ArrayList<>();
        try (Capture capture = open()) {
            receiver.tap(
                    next -> capture.inbound(new FaultInjector(everythingIsLost, random, next)));
            send(transmitter, path, 0, payload(8));
            transmitter.flush(0);
            Traffic.receiveAll(receiver, arrivals);

            transmitter.tap(
                    next -> new FaultInjector(everythingIsLost, random, capture.outbound(next)));
            send(transmitter, path, 1, payload(8));
            transmitter.flush(0);
        }

        assertThat(arrivals).isEmpty();
        assertThat(CaptureFile.read(file)).extracting(Entry::direction).containsExactly(INBOUND);
    }

    @Test
    void isInTheFileAfterASecond() {
        try (Capture capture = open()) {
            receiver.tap(capture::inbound);
            sendAndReceive(1, 8);
            long second = Capture.FLUSH_INTERVAL.toNanos();
            receiver.receive(1, 100, (packet, time) -> {});
            assertThat(receiver.deadlineNanos()).isEqualTo(100 + second);
            assertThat(CaptureFile.read(file)).isEmpty();

            now = now.plus(Duration.ofSeconds(1));
            receiver.receive(1, 100 + second, (packet, time) -> {});
            assertThat(CaptureFile.read(file)).hasSize(1);
            assertThat(receiver.deadlineNanos()).isEqualTo(Long.MAX_VALUE);

            receiver.receive(1, 200 + second, (packet, time) -> {});
            assertThat(receiver.deadlineNanos()).as("nothing new").isEqualTo(Long.MAX_VALUE);
            sendAndReceive(1, 8);
            assertThat(CaptureFile.read(file)).hasSize(1);
            now = now.plus(Duration.ofSeconds(1));
            receiver.receive(1, 300 + 2 * second, (packet, time) -> {});
            assertThat(CaptureFile.read(file)).hasSize(2);
        }
    }

    @Test
    void aFullDiskEndsTheCaptureNotTheTraffic() {
        java.nio.file.Path full = java.nio.file.Path.of("/dev/full");
        assumeTrue(Files.isWritable(full), "there is no device that is always full");
        file = full;
        List<String> warnings = new ArrayList<>();
        Handler handler = new Warnings(warnings);
        Logger logger = Logger.getLogger(PcapngFile.class.getName());
        logger.addHandler(handler);
        try (Capture capture = open()) {
            receiver.tap(capture::inbound);
            sendAndReceive(1, 8);
            now = now.plus(Duration.ofSeconds(2));
            sendAndReceive(1, 8);
            now = now.plus(Duration.ofSeconds(2));
            sendAndReceive(1, 8);
        } finally {
            logger.removeHandler(handler);
        }

        assertThat(warnings).hasSize(1).first().asString().contains("/dev/full");
    }

    @Test
    void aFileThatCannotBeMadeIsAnError() {
        file = file.resolve("below-a-file-that-is-not-there");

        assertThatThrownBy(this::open)
                .isInstanceOf(FabricException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void opensInTsharkWithoutComplaint() throws Exception {
        try (Capture capture = open()) {
            transmitter.tap(capture::outbound);
            receiver.tap(capture::inbound);
            sendAndReceive(4, 1024);
        }

        List<String> lines =
                Tshark.fields(
                        file,
                        "ip.src",
                        "ip.dst",
                        "udp.dstport",
                        "infiniband.bth.opcode",
                        "infiniband.bth.psn",
                        "ip.checksum.status",
                        "udp.checksum.status",
                        "_ws.expert.message");
        assertThat(lines).hasSize(8);
        for (int i = 0; i < lines.size(); i++) {
            String source = near.localAddress().getHostAddress();
            String destination = far.localAddress().getHostAddress();
            // No expert note follows: nothing is malformed, no checksum wrong.
            assertThat(lines.get(i))
                    .isEqualTo(
                            String.join(
                                    "\t",
                                    source,
                                    destination,
                                    "4791",
                                    "4",
                                    "" + i % 4,
                                    "1",
                                    "1",
                                    ""));
        }
    }

    private Capture open() {
        return Capture.open(file, "roce://" + far.localAddress().getHostAddress(), () -> now);
    }

    private void sendAndReceive(int count, int length) {
        for (int i = 0; i < count; i++) {
            send(transmitter, path, i, payload(length));
        }
        transmitter.flush(0);
        assertThat(Traffic.receive(far, receiver, count)).hasSize(count);
    }

    /// Keeps what is logged.
    private static final class Warnings extends Handler {
        private final List<String> messages;

        Warnings(List<String> messages) {
            this.messages = messages;
        }

        @Override
        public void publish(LogRecord logged) {
            messages.add(
                    java.text.MessageFormat.format(logged.getMessage(), logged.getParameters()));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
