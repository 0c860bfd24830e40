package dev.outboard.node.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.WatchedPacket;
import dev.outboard.naa.RpcId;
import dev.outboard.testkit.TraceFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// How packets are shown.
class NicTraceTest {
    private static final String SENT = "sent by queue pair 0x000011";
    private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.9", 4000);

    private final Device device = Fabric.open("sim://nic-trace/10.0.0.1");
    private final NicTrace nic = new NicTrace(device);

    @AfterEach
    void close() {
        device.close();
    }

    private record Sent(String opcode, int packetSequenceNumber, boolean isNext, boolean isAgain)
            implements WatchedPacket {
        @Override
        public boolean isSent() {
            return true;
        }

        @Override
        public int queuePairNumber() {
            return 0x11;
        }

        @Override
        public boolean isMiddle() {
            return opcode.endsWith("MIDDLE");
        }

        @Override
        public boolean hasImmediate() {
            return opcode.endsWith("IMM");
        }

        @Override
        public int payloadBytes() {
            return 1024;
        }
    }

    private void send(String opcode, int psn) {
        nic.packet(new Sent(opcode, psn, true, false));
    }

    private void sendAgain(String opcode, int psn, boolean isNext) {
        nic.packet(new Sent(opcode, psn, isNext, true));
    }

    private TraceFile written() throws IOException {
        nic.close();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        nic.trace().writeAbsolute(out, 0);
        return TraceFile.read(out.toByteArray());
    }

    private static List<String> names(TraceFile file) {
        return file.slices(SENT).stream().map(TraceFile.Slice::name).toList();
    }

    /// A gap, other packets, and what is sent again begin another slice.
    @Test
    void packetsOfTheMiddleThatFollowEachOtherAreOneSlice() throws IOException {
        send("WRITE_FIRST", 0xfffffd);
        send("WRITE_MIDDLE", 0xfffffe);
        send("WRITE_MIDDLE", 0xffffff);
        send("WRITE_MIDDLE", 0x000000);
        send("WRITE_LAST", 0x000001);
        send("SEND_MIDDLE", 0x000002);
        send("WRITE_MIDDLE", 0x000003);
        nic.packet(new Sent("WRITE_MIDDLE", 0x000009, false, false));
        sendAgain("WRITE_MIDDLE", 0x000003, false);
        sendAgain("WRITE_MIDDLE", 0x000004, true);

        TraceFile file = written();
        assertThat(names(file))
                .containsExactly(
                        "WRITE_FIRST, PSN fffffd, 1024 bytes",
                        "WRITE_MIDDLE ×3, PSN fffffe–000000, 3072 bytes",
                        "WRITE_LAST, PSN 000001, 1024 bytes",
                        "SEND_MIDDLE, PSN 000002, 1024 bytes",
                        "WRITE_MIDDLE, PSN 000003, 1024 bytes",
                        "WRITE_MIDDLE, PSN 000009, 1024 bytes",
                        "WRITE_MIDDLE again ×2, PSN 000003–000004, 2048 bytes");
        assertThat(file.tracks())
                .first()
                .extracting(TraceFile.Track::name)
                .isEqualTo("NIC 10.0.0.1");
        assertThat(file.joined()).isEmpty();
    }

    /// The first RPC of a connection is number 1, whatever its queue pair was used for before.
    @Test
    void immediateValuesAreJoinedWithTheirRpcs() throws IOException {
        send("WRITE_ONLY_IMM", 1);
        nic.connected(OptionalInt.of(0x11), CLIENT);
        send("WRITE_LAST_IMM", 2);
        sendAgain("WRITE_LAST_IMM", 2, false);
        send("WRITE_ONLY", 3);
        send("WRITE_ONLY_IMM", 4);

        TraceFile file = written();
        assertThat(file.joined()).containsOnlyKeys(RpcId.of(CLIENT, 1), RpcId.of(CLIENT, 2));
        assertThat(file.joined().get(RpcId.of(CLIENT, 1)))
                .extracting(TraceFile.Slice::name)
                .containsExactly("WRITE_LAST_IMM, PSN 000002, 1024 bytes");
        assertThat(file.joined().get(RpcId.of(CLIENT, 2)))
                .extracting(TraceFile.Slice::name)
                .containsExactly("WRITE_ONLY_IMM, PSN 000004, 1024 bytes");
    }

    @Test
    void whatComesWhenItIsFullIsCounted() throws IOException {
        for (int i = 0; i < NicTrace.MOST_EVENTS + 3; i++) {
            send("WRITE_ONLY", i);
        }

        TraceFile file = written();
        assertThat(file.slices(SENT)).hasSize(NicTrace.MOST_EVENTS);
        assertThat(file.instants("trace"))
                .extracting(TraceFile.Slice::name)
                .containsExactly("the trace is full: 3 events lost");
    }
}
