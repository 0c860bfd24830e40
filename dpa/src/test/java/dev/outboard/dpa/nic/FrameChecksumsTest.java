package dev.outboard.dpa.nic;

import static dev.outboard.dpa.nic.layout.CompletionEntry.L3_OK;
import static dev.outboard.dpa.nic.layout.CompletionEntry.L4_OK;
import static dev.outboard.dpa.nic.layout.EthernetSegment.L3_CHECKSUM;
import static dev.outboard.dpa.nic.layout.EthernetSegment.L4_CHECKSUM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.MacAddress;
import dev.outboard.testkit.Golden;
import dev.outboard.testkit.Requirement;
import dev.outboard.testkit.Seeds;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Checksums of frames of all shapes.
class FrameChecksumsTest {
    private static final int BOTH = L3_CHECKSUM | L4_CHECKSUM;
    private static final MacAddress TO = MacAddress.of("02:00:00:00:00:77");
    private static final int[] UNTAGGED = {};
    private static final byte GUARD = 0x6B;

    private final FrameChecksums checksums = new FrameChecksums();

    static List<IpFrame> frames() {
        List<IpFrame> frames = new ArrayList<>();
        List<int[]> tags = List.of(UNTAGGED, new int[] {0x8100}, new int[] {0x88A8, 0x8100});
        for (int length : new int[] {0, 1, 2, 3, 100, 1461}) {
            byte[] tcp = IpFrame.tcp(0xFFFF_FFF0, 0x18, length % 3, IpFrame.payload(length));
            byte[] udp = IpFrame.udp(IpFrame.payload(length));
            for (byte[] network : networks()) {
                int[] some = tags.get(frames.size() / 2 % tags.size());
                frames.add(IpFrame.of(TO, some, network, IpFrame.TCP, tcp));
                frames.add(IpFrame.of(TO, some, network, IpFrame.UDP, udp));
            }
        }
        return frames;
    }

    private static List<byte[]> networks() {
        return List.of(
                IpFrame.version4(0xABCD, 0x4000, 0),
                IpFrame.version4(1, 0, 3),
                IpFrame.version6(),
                IpFrame.version6(IpFrame.HOP_BY_HOP),
                IpFrame.version6(IpFrame.DESTINATION_OPTIONS, IpFrame.ROUTING));
    }

    /// Fills checksums in, and looks that nothing after the frame is touched.
    private byte[] inserted(byte[] frame, int flags) {
        byte[] roomy = Arrays.copyOf(frame, frame.length + 64);
        Arrays.fill(roomy, frame.length, roomy.length, GUARD);
        checksums.insert(MemorySegment.ofArray(roomy), frame.length, flags);
        assertThat(Arrays.copyOfRange(roomy, frame.length, roomy.length)).containsOnly(GUARD);
        return Arrays.copyOf(roomy, frame.length);
    }

    private int checked(IpFrame frame) {
        return checksums.check(MemorySegment.ofArray(frame.bytes()), frame.bytes().length);
    }

    @Test
    @Requirement("DPA-FXQ-8d")
    void eachFlagFillsInItsChecksum() {
        for (IpFrame frame : frames()) {
            assertThat(inserted(frame.bytes(), L3_CHECKSUM)).isEqualTo(frame.withL3().bytes());
            assertThat(inserted(frame.bytes(), L4_CHECKSUM)).isEqualTo(frame.withL4().bytes());
            IpFrame right = frame.withL3().withL4();
            assertThat(inserted(frame.bytes(), BOTH)).isEqualTo(right.bytes());
            assertThat(inserted(frame.bytes(), 0)).isEqualTo(frame.bytes());
            IpFrame padded = frame.padded(frame.bytes().length + 7);
            assertThat(inserted(padded.bytes(), BOTH))
                    .isEqualTo(right.padded(padded.bytes().length).bytes());
        }
    }

    /// Packets that the Linux kernel has sent.
    @ParameterizedTest
    @ValueSource(strings = {"plain_gso_seg0", "plain_gso_seg1", "plain_gso_seg2"})
    @Requirement("DPA-FXQ-8d")
    void checksumsAreThoseOfOthers(String name) {
        byte[] packet = Golden.packet(name);
        ByteBuffer frame = ByteBuffer.allocate(14 + packet.length);
        frame.putShort(12, (short) 0x0800).put(14, packet);
        IpFrame right = new IpFrame(frame.array(), 14, 34, IpFrame.UDP);
        IpFrame blank = right.with16(24, 0).with16(40, 0);
        assertThat(inserted(blank.bytes(), BOTH)).isEqualTo(right.bytes());
        assertThat(checked(right)).isEqualTo(L3_OK | L4_OK);
        assertThat(checked(blank)).isZero();
    }

    @ParameterizedTest
    @MethodSource("networksOfUdp")
    @Requirement("DPA-FXQ-8d")
    void aSumOfUdpIsNeverZero(byte[] network) {
        byte[] udp = IpFrame.udp(new byte[2]);
        IpFrame zeros = IpFrame.of(TO, UNTAGGED, network, IpFrame.UDP, udp);
        int at = zeros.transport() + 6;
        int checksum = ByteBuffer.wrap(zeros.withL4().bytes()).getShort(at);
        // What makes the sum of all words 0xFFFF.
        IpFrame frame = zeros.with16(zeros.transport() + 8, checksum);
        byte[] sent = inserted(frame.bytes(), L4_CHECKSUM);
        assertThat(sent).isEqualTo(frame.with16(at, 0xFFFF).bytes());
        assertThat(checked(frame.with16(at, 0xFFFF)) & L4_OK).isEqualTo(L4_OK);
        // In UDP 0 means that there is none.
        assertThat(checked(frame.with16(at, 0)) & L4_OK).isZero();

        // In TCP it does not.
        byte[] tcp = IpFrame.tcp(1, 0, 0, new byte[2]);
        IpFrame other = IpFrame.of(TO, UNTAGGED, network, IpFrame.TCP, tcp);
        int otherAt = other.transport() + 16;
        int otherChecksum = ByteBuffer.wrap(other.withL4().bytes()).getShort(otherAt);
        IpFrame balanced = other.with16(other.transport() + 20, otherChecksum);
        assertThat(inserted(balanced.bytes(), L4_CHECKSUM))
                .isEqualTo(balanced.with16(otherAt, 0).bytes());
        assertThat(checked(balanced.with16(otherAt, 0)) & L4_OK).isEqualTo(L4_OK);
    }

    static Stream<byte[]> networksOfUdp() {
        return networks().stream();
    }

    @Test
    @Requirement("DPA-FXQ-8d")
    void aReceivedFrameIsRightOrWrong() {
        for (IpFrame frame : frames()) {
            boolean hasL3 = frame.bytes()[frame.network()] >>> 4 == 4;
            int l3 = hasL3 ? 0 : L3_OK;
            assertThat(checked(frame)).isEqualTo(l3);
            assertThat(checked(frame.withL3())).isEqualTo(L3_OK);
            assertThat(checked(frame.withL4())).isEqualTo(l3 | L4_OK);
            IpFrame right = frame.withL3().withL4();
            assertThat(checked(right)).isEqualTo(L3_OK | L4_OK);
            assertThat(checked(right.padded(right.bytes().length + 9))).isEqualTo(L3_OK | L4_OK);
            IpFrame wrong = right.with16(right.transport(), 0x1111);
            assertThat(checked(wrong)).isEqualTo(L3_OK);
        }
    }

    /// Frames that do not have what the flags ask for, and whether they have the first sum.
    static Stream<IpFrame> othersWithL3() {
        byte[] udp = IpFrame.udp(IpFrame.payload(30));
        byte[] tcp = IpFrame.tcp(1, 2, 0, IpFrame.payload(30));
        byte[] plain = IpFrame.version4(9, 0, 0);
        IpFrame good = IpFrame.of(TO, UNTAGGED, plain, IpFrame.UDP, udp);
        IpFrame goodTcp = IpFrame.of(TO, UNTAGGED, plain, IpFrame.TCP, tcp);
        int network = good.network();
        int transport = good.transport();
        return Stream.of(
                // Fragments, the first and another one.
                IpFrame.of(TO, UNTAGGED, IpFrame.version4(9, 0x2000, 0), IpFrame.UDP, udp),
                IpFrame.of(TO, UNTAGGED, IpFrame.version4(9, 0x0001, 0), IpFrame.UDP, udp),
                // ICMP.
                IpFrame.of(TO, UNTAGGED, plain, 1, udp),
                // Lengths of IP and UDP that are too long or too short.
                good.with16(network + 2, 59),
                good.with16(network + 2, 57),
                good.with16(network + 2, 0),
                good.with16(network + 2, 0xFFFF),
                good.with16(transport + 4, 39),
                good.with16(transport + 4, 7),
                goodTcp.with16(network + 2, 39),
                // A header that is cut off.
                IpFrame.of(TO, UNTAGGED, plain, IpFrame.UDP, new byte[7]),
                IpFrame.of(TO, UNTAGGED, plain, IpFrame.TCP, new byte[19]));
    }

    @ParameterizedTest
    @MethodSource("othersWithL3")
    @Requirement("DPA-FXQ-8d")
    void aPacketWithoutAWholeSegmentHasNoSecondSum(IpFrame frame) {
        assertThat(inserted(frame.bytes(), L4_CHECKSUM)).isEqualTo(frame.bytes());
        assertThat(inserted(frame.bytes(), BOTH)).isEqualTo(frame.withL3().bytes());
        assertThat(checked(frame.withL3())).isEqualTo(L3_OK);
    }

    static Stream<IpFrame> others() {
        byte[] udp = IpFrame.udp(IpFrame.payload(30));
        IpFrame good = IpFrame.of(TO, UNTAGGED, IpFrame.version4(9, 0, 0), IpFrame.UDP, udp);
        IpFrame good6 = IpFrame.of(TO, UNTAGGED, IpFrame.version6(), IpFrame.UDP, udp);
        IpFrame options = IpFrame.of(TO, UNTAGGED, IpFrame.version4(9, 0, 2), IpFrame.UDP, udp);
        byte[] tagged = good.padded(60).bytes();
        for (int at = 12; at < tagged.length; at += 4) {
            tagged[at] = (byte) 0x81;
            tagged[at + 1] = 0;
        }
        return Stream.of(
                // A length or a type that is none of IP.
                good.with16(12, 46),
                good.with16(12, 0x88B5),
                // Another version than that of the type, a header that is too short or cut off.
                good.with16(12, 0x86DD),
                good6.with16(12, 0x0800),
                good.with16(good.network(), 0x4400),
                good.padded(14 + 19),
                options.padded(14 + 27),
                good6.padded(14 + 39),
                // Nothing but tags.
                new IpFrame(tagged, 14, 34, IpFrame.UDP),
                good.padded(14));
    }

    @ParameterizedTest
    @MethodSource("others")
    @Requirement("DPA-FXQ-8d")
    void whatIsNotIpIsUnchanged(IpFrame frame) {
        assertThat(inserted(frame.bytes(), BOTH)).isEqualTo(frame.bytes());
        assertThat(checked(frame)).isZero();
    }

    static Stream<IpFrame> otherVersion6() {
        byte[] udp = IpFrame.udp(IpFrame.payload(30));
        IpFrame route =
                IpFrame.of(TO, UNTAGGED, IpFrame.version6(IpFrame.ROUTING), IpFrame.UDP, udp);
        IpFrame hops =
                IpFrame.of(TO, UNTAGGED, IpFrame.version6(IpFrame.HOP_BY_HOP), IpFrame.UDP, udp);
        int extension = route.network() + 40;
        return Stream.of(
                IpFrame.of(TO, UNTAGGED, IpFrame.version6(IpFrame.FRAGMENT), IpFrame.UDP, udp),
                // A route that goes on.
                route.with16(extension + 2, 0x0001),
                // Extensions that are longer than the packet, or cut off.
                hops.with16(extension, 0x1106),
                hops.with16(extension, 0x11FF),
                hops.padded(extension + 7),
                // A jumbogram.
                hops.with16(hops.network() + 4, 0),
                IpFrame.of(TO, UNTAGGED, IpFrame.version6(), 58, udp));
    }

    @ParameterizedTest
    @MethodSource("otherVersion6")
    @Requirement("DPA-FXQ-8d")
    void headersOfVersion6ThatAreNotWalkedAreUnchanged(IpFrame frame) {
        assertThat(inserted(frame.bytes(), BOTH)).isEqualTo(frame.bytes());
        assertThat(checked(frame)).isEqualTo(L3_OK);
    }

    /// Whatever a frame says, nothing is thrown, and at most two words of it change.
    @Test
    @Requirement("DPA-FXQ-8d")
    void anyFrameIsSummedUpWithinItsBounds() {
        List<IpFrame> frames = frames();
        Seeds.campaign(
                20_000,
                seed -> {
                    Random random = new Random(seed);
                    IpFrame some = frames.get(random.nextInt(frames.size()));
                    int length = 14 + random.nextInt(some.bytes().length - 13);
                    byte[] frame = Arrays.copyOf(some.bytes(), length);
                    for (int left = random.nextInt(4); left > 0; left--) {
                        frame[random.nextInt(Math.min(length, 90))] = (byte) random.nextInt();
                    }
                    checksums.check(MemorySegment.ofArray(frame.clone()), length);
                    byte[] after = inserted(frame, BOTH);
                    int changed = 0;
                    for (int i = 0; i < length; i++) {
                        changed += after[i] == frame[i] ? 0 : 1;
                    }
                    assertThat(changed).isLessThanOrEqualTo(4);
                });
    }
}
