package dev.outboard.fabric.roce.wire.cm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.testkit.Golden;
import dev.outboard.testkit.Requirement;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The management datagrams that foreign stacks sent, field by field.
public class GoldenCmTest {
    private static final Gid CLIENT = Gid.ofIpv4(0x0A4D0002);
    private static final Gid SERVER = Gid.ofIpv4(0x0A4D0001);
    private static final Gid CLIENT_V6 = new Gid(0xFD77_0000_0000_0000L, 2);
    private static final Gid SERVER_V6 = new Gid(0xFD77_0000_0000_0000L, 1);
    private static final long CLIENT_CA_GUID = 0x5054_00FF_FE77_0002L;
    private static final long SERVER_CA_GUID = 0x5054_00FF_FE77_0001L;
    private static final long RPING_TRANSACTION = 0x2_F42E_9B2EL;
    private static final int CLIENT_ID = 0x2E9B_2EF4;
    private static final int SERVER_ID = 0x2BCE_2F96;

    public static List<String> goldenDatagrams() {
        return Golden.names().stream().filter(name -> name.contains("cm_")).toList();
    }

    /// The MAD lies between the IP, UDP, BTH and DETH headers and the ICRC.
    public static byte[] mad(String name) {
        byte[] packet = Golden.packet(name);
        return Arrays.copyOfRange(packet, packet.length - 4 - CmDatagram.LENGTH, packet.length - 4);
    }

    private static CmMessage message(String name) {
        return CmDatagram.parse(mad(name)).message();
    }

    @Test
    void allElevenGoldenDatagramsAreHere() {
        assertThat(goldenDatagrams())
                .containsExactlyInAnyOrder(
                        "cm_req",
                        "cm_rep",
                        "cm_rtu",
                        "cm_dreq",
                        "cm_drep",
                        "cm_rej_invalid_sid",
                        "cm_mra",
                        "cm_sidr_req",
                        "cm_sidr_rep",
                        "v6_cm_req",
                        "plain_cm_req");
    }

    @ParameterizedTest
    @MethodSource("goldenDatagrams")
    @Requirement("ROCE-CM-1")
    void decodesAndEncodesToTheSameBytes(String name) {
        byte[] mad = mad(name);

        assertThat(CmDatagram.check(mad)).isNull();
        assertThat(CmDatagram.parse(mad).emit()).containsExactly(mad);
    }

    @Test
    @Requirement("ROCE-CM-1")
    void decodesTheRequestOfRping() {
        CmDatagram datagram = CmDatagram.parse(mad("cm_req"));

        assertThat(datagram.transactionId()).isEqualTo(RPING_TRANSACTION);
        assertThat(datagram.message())
                .isEqualTo(
                        ConnectionRequest.builder()
                                .localId(CLIENT_ID)
                                .serviceId(new ServiceId(0x0000_0000_0106_1C06L))
                                .local(
                                        LocalEnd.builder()
                                                .caGuid(CLIENT_CA_GUID)
                                                .qpn(0x12)
                                                .startingPsn(0x36B2D6)
                                                .build())
                                .flow(flowOfRping())
                                .remoteResponseTimeout(20)
                                .localResponseTimeout(20)
                                .maxCmRetries(15)
                                .pathMtu(3)
                                .retryCount(7)
                                .partitionKey(0xFFFF)
                                .primaryPath(
                                        PathRecord.builder()
                                                .localLid(0xFFFF)
                                                .remoteLid(0xFFFF)
                                                .localGid(CLIENT)
                                                .remoteGid(SERVER)
                                                .flowLabel(0x47482)
                                                .hopLimit(64)
                                                .localAckTimeout(19)
                                                .build())
                                .privateData(
                                        new IpAddressHeader(0xA804, CLIENT, SERVER)
                                                .followedBy(Octets.EMPTY, 92))
                                .build());
    }

    private static FlowControl flowOfRping() {
        return FlowControl.builder()
                .responderResources(1)
                .initiatorDepth(1)
                .rnrRetryCount(7)
                .build();
    }

    @Test
    @Requirement({"ROCE-CM-1", "ROCE-CM-19"})
    void decodesTheRequestOfRpingOverIpv6() {
        ConnectionRequest request = (ConnectionRequest) message("v6_cm_req");

        assertThat(request.service().id()).isEqualTo(new ServiceId(0x0106_1C06L));
        assertThat(request.localId()).isEqualTo(0xCE8A_F367);
        assertThat(request.local().startingPsn()).isEqualTo(0xE38FA3);
        assertThat(request.paths().primary())
                .isEqualTo(
                        PathRecord.builder()
                                .localLid(0xFFFF)
                                .remoteLid(0xFFFF)
                                .localGid(CLIENT_V6)
                                .remoteGid(SERVER_V6)
                                .flowLabel(0x5E2B2)
                                .hopLimit(64)
                                .localAckTimeout(17)
                                .build());
        assertThat(IpAddressHeader.isPresent(request.privateData())).isTrue();
        assertThat(IpAddressHeader.parse(request.privateData()))
                .isEqualTo(new IpAddressHeader(0xB3D4, CLIENT_V6, SERVER_V6));
    }

    @Test
    @Requirement("ROCE-CM-2")
    void decodesTheAddressHeaderOfRping() {
        ConnectionRequest request = (ConnectionRequest) message("cm_req");

        assertThat(IpAddressHeader.isPresent(request.privateData())).isTrue();
        assertThat(IpAddressHeader.parse(request.privateData()))
                .isEqualTo(new IpAddressHeader(0xA804, CLIENT, SERVER));
    }

    @Test
    @Requirement("ROCE-CM-1")
    void decodesAPacketRateBesideTheFlowLabel() {
        PathRecord path = ((ConnectionRequest) message("plain_cm_req")).paths().primary();

        assertThat(path.flowLabel()).isEqualTo(0x12345);
        assertThat(path.packetRate()).isEqualTo(3);
    }

    @Test
    @Requirement("ROCE-CM-1")
    void decodesTheReplyOfRping() {
        CmDatagram datagram = CmDatagram.parse(mad("cm_rep"));

        assertThat(datagram.transactionId()).isEqualTo(RPING_TRANSACTION);
        assertThat(datagram.message())
                .isEqualTo(
                        ConnectionReply.builder()
                                .localId(SERVER_ID)
                                .remoteId(CLIENT_ID)
                                .local(
                                        LocalEnd.builder()
                                                .caGuid(SERVER_CA_GUID)
                                                .qpn(0x12)
                                                .startingPsn(0x861EC0)
                                                .build())
                                .flow(flowOfRping())
                                .targetAckDelay(15)
                                .build());
    }

    @Test
    @Requirement("ROCE-CM-1")
    void decodesTheShortMessagesOfRping() {
        assertThat(message("cm_rtu"))
                .isEqualTo(new ReadyToUse(CLIENT_ID, SERVER_ID, Octets.EMPTY.padded(224)));
        assertThat(message("cm_dreq"))
                .isEqualTo(
                        new DisconnectRequest(
                                CLIENT_ID, SERVER_ID, 0x12, Octets.EMPTY.padded(220)));
        assertThat(message("cm_drep"))
                .isEqualTo(new DisconnectReply(SERVER_ID, CLIENT_ID, Octets.EMPTY.padded(224)));
    }

    @Test
    @Requirement("ROCE-CM-1")
    void decodesARejectionAndAReceipt() {
        assertThat(message("cm_rej_invalid_sid"))
                .isEqualTo(
                        new Rejection(
                                0,
                                0x279B_2EF4,
                                Rejection.OF_REQ,
                                0,
                                RejectReason.INVALID_SERVICE_ID.code(),
                                Octets.EMPTY.padded(72),
                                Octets.EMPTY.padded(148)));
        assertThat(message("cm_mra"))
                .isEqualTo(
                        new MessageReceiptAcknowledgement(
                                0x37CE_2F96,
                                0xC2,
                                MessageReceiptAcknowledgement.OF_REQ,
                                24,
                                Octets.EMPTY.padded(222)));
    }

    @Test
    @Requirement("ROCE-CM-1")
    void decodesTheServiceResolutionOfUdaddy() {
        ServiceId service = ServiceId.of(ServiceId.PORT_SPACE_UDP, 7174);

        assertThat(service.value()).isEqualTo(0x0111_1C06L);
        assertThat(message("cm_sidr_req"))
                .isEqualTo(
                        new SidrRequest(
                                0x2C9B_2EF4,
                                0xFFFF,
                                service,
                                new IpAddressHeader(0x8FAB, CLIENT, SERVER)
                                        .followedBy(Octets.EMPTY, 216)));
        assertThat(message("cm_sidr_rep"))
                .isEqualTo(
                        SidrReply.builder()
                                .requestId(0x2C9B_2EF4)
                                .qpn(0x14)
                                .serviceId(service)
                                .queueKey(0x0123_4567)
                                .build());
    }

    /// Every bit of a message that has a meaning lands in a field: random bytes come back, except
    /// for what is reserved.
    @ParameterizedTest
    @MethodSource("goldenDatagrams")
    @Requirement("ROCE-CM-1")
    void keepsEveryFieldOfAMessageFullOfOnes(String name) {
        byte[] mad = mad(name);
        Arrays.fill(mad, 24, CmDatagram.LENGTH, (byte) 0xFF);
        byte[] expected = mad.clone();
        reserved(name).forEach(bits -> expected[24 + bits.at()] &= (byte) ~bits.mask());

        assertThat(CmDatagram.parse(mad).emit()).containsExactly(expected);
    }

    private record Reserved(int at, int mask) {}

    private static Stream<Reserved> reserved(String name) {
        return switch (message(name)) {
            case ConnectionRequest _ ->
                    Stream.of(
                            new Reserved(4, 0xFF),
                            new Reserved(24, 0xFF),
                            new Reserved(25, 0xFF),
                            new Reserved(26, 0xFF),
                            new Reserved(27, 0xFF),
                            new Reserved(90, 0x0F),
                            new Reserved(91, 0xC0),
                            new Reserved(94, 0x07),
                            new Reserved(95, 0x07),
                            new Reserved(134, 0x0F),
                            new Reserved(135, 0xC0),
                            new Reserved(138, 0x07),
                            new Reserved(139, 0x07));
            case ConnectionReply _ -> Stream.of(new Reserved(27, 0x0F));
            case MessageReceiptAcknowledgement _ ->
                    Stream.of(new Reserved(8, 0x3F), new Reserved(9, 0x07));
            case Rejection _ -> Stream.of(new Reserved(8, 0x3F), new Reserved(9, 0x01));
            case DisconnectRequest _ -> Stream.of(new Reserved(11, 0xFF));
            case SidrRequest _ -> Stream.of(new Reserved(6, 0xFF), new Reserved(7, 0xFF));
            case ReadyToUse _, DisconnectReply _, SidrReply _ -> Stream.empty();
        };
    }
}
