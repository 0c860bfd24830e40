package dev.outboard.dpa.nic;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.outboard.dpa.nic.layout.EthernetSegment;
import dev.outboard.fabric.MacAddress;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Large sends without a machine around them.
class LargeSendTest {
    private static final MacAddress TO = MacAddress.of("02:00:00:00:00:77");
    private static final int BOTH = EthernetSegment.L3_CHECKSUM | EthernetSegment.L4_CHECKSUM;
    private static final int ROUNDS = 10_000;
    private static final int TIMES = 100;

    private final EthernetSwitch network = new EthernetSwitch(1);
    private final NicPort port = network.port(0);
    private final LargeSend largeSend = new LargeSend(port);
    private final FrameChecksums checksums = new FrameChecksums();

    private static Message message(byte[] bytes, int inlineBytes, int segmentBytes) {
        Message message = new Message(NicPort.MAX_FRAME_BYTES);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, message.payload(), 0, bytes.length);
        message.byteCount = bytes.length;
        message.inlineBytes = inlineBytes;
        message.segmentBytes = segmentBytes;
        message.flags = BOTH;
        return message;
    }

    private static IpFrame frame(byte[] network, int tcpOptions) {
        byte[] tcp = IpFrame.tcp(-1, 0xFF, tcpOptions, IpFrame.payload(1000));
        return IpFrame.of(TO, new int[0], network, IpFrame.TCP, tcp);
    }

    /// Whatever the headers are, either nothing is sent, or all that has come, in frames whose
    /// checksums are right.
    @Test
    @Requirement("DPA-FXQ-8d")
    void anyHeadersAreSentWholeOrRefused() {
        int[] sent = new int[2];
        boolean attached =
                network.attach((frame, length) -> {
                    sent[0]++;
                    sent[1] += length;
                    assertThat(checksums.check(frame, length)).isEqualTo(6);
                });
        assertThat(attached).isTrue();
        int[] accepted = new int[1];
        Seeds.campaign(
                10_000,
                seed -> {
                    Random random = new Random(seed);
                    byte[] network =
                            random.nextBoolean()
                                    ? IpFrame.version4(random.nextInt(), 0x4000, 1)
                                    : IpFrame.version6(IpFrame.HOP_BY_HOP);
                    IpFrame frame = frame(network, random.nextInt(4));
                    int headers = frame.bytes().length - 1000;
                    for (int left = random.nextInt(3); left > 0; left--) {
                        frame.bytes()[random.nextInt(headers)] = (byte) random.nextInt();
                    }
                    int inline = random.nextInt(8) == 0 ? random.nextInt(200) : headers;
                    int size = 60 + random.nextInt(1000);
                    sent[0] = 0;
                    sent[1] = 0;
                    Acknowledge answer = largeSend.send(message(frame.bytes(), inline, size));
                    if (answer == Acknowledge.DONE) {
                        int frames = (1000 + size - 1) / size;
                        int last = headers + 1000 - (frames - 1) * size;
                        int padding = Math.max(0, NicPort.MIN_FRAME_BYTES - last);
                        int bytes = frames * headers + 1000 + padding;
                        assertThat(sent).containsExactly(frames, bytes);
                        accepted[0]++;
                    } else {
                        assertThat(answer).isEqualTo(Acknowledge.NOT_EXECUTABLE);
                        assertThat(sent).containsExactly(0, 0);
                    }
                });
        assertThat(accepted[0]).isPositive();
    }

    @Test
    @Requirement("DPA-FXQ-8d")
    void allocatesNothing() {
        IpFrame frame = frame(IpFrame.version4(1, 0, 0), 0);
        Message message = message(frame.bytes(), 54, 300);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS && least > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < TIMES; i++) {
                largeSend.send(message);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }
}
