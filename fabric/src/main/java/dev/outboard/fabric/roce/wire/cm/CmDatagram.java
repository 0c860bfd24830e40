package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// A management datagram (MAD) of the communication management class: a 24-byte header and a
/// message, 256 bytes in all.
///
/// The header is constant but for the two fields kept here; status, class specific and attribute
/// modifier are sent as 0 and not looked at (InfiniBand Architecture, volume 1, 13.4.3 and 16.7).
///
/// ROCE-CM-1: every message has its place behind this header, and zeros where it ends.
///
/// @param transactionId chosen by the sender of a request, echoed in the answers
public record CmDatagram(long transactionId, CmMessage message) {
    public static final int LENGTH = 256;

    private static final int BASE_VERSION = 0;
    private static final int MANAGEMENT_CLASS = 1;
    private static final int CLASS_VERSION = 2;
    private static final int METHOD = 3;
    private static final int TRANSACTION_ID = 8;
    private static final int ATTRIBUTE_ID = 16;
    private static final int MESSAGE = 24;

    private static final int MAD_BASE_VERSION = 1;
    private static final int CLASS_COMMUNICATION_MANAGEMENT = 0x07;
    private static final int CM_CLASS_VERSION = 2;
    private static final int METHOD_SEND = 0x03;

    /// Looks at the header: null if [#parse] can take `mad`, else why not.
    ///
    /// ROCE-CM-16: LAP and APR, about alternate paths, are ignored.
    public static @Nullable DatagramFlaw check(byte[] mad) {
        if (mad.length != LENGTH) {
            return DatagramFlaw.WRONG_LENGTH;
        }
        if (mad[BASE_VERSION] != MAD_BASE_VERSION) {
            return DatagramFlaw.WRONG_VERSION;
        }
        if (mad[MANAGEMENT_CLASS] != CLASS_COMMUNICATION_MANAGEMENT) {
            return DatagramFlaw.OTHER_CLASS;
        }
        if (mad[CLASS_VERSION] != CM_CLASS_VERSION) {
            return DatagramFlaw.WRONG_VERSION;
        }
        if (mad[METHOD] != METHOD_SEND) {
            return DatagramFlaw.OTHER_METHOD;
        }
        CmAttribute attribute = attribute(mad);
        boolean supported =
                attribute != null && attribute != CmAttribute.LAP && attribute != CmAttribute.APR;
        return supported ? null : DatagramFlaw.UNSUPPORTED_ATTRIBUTE;
    }

    /// Decodes a datagram that [#check] found nothing wrong with.
    public static CmDatagram parse(byte[] mad) {
        CmAttribute attribute = attribute(mad);
        if (check(mad) != null || attribute == null) {
            throw new IllegalArgumentException("not a CM datagram: " + check(mad));
        }
        ByteBuffer message = ByteBuffer.wrap(mad, MESSAGE, CmMessage.LENGTH).slice();
        CmMessage parsed =
                switch (attribute) {
                    case REQ -> ConnectionRequest.parse(message);
                    case MRA -> MessageReceiptAcknowledgement.parse(message);
                    case REJ -> Rejection.parse(message);
                    case REP -> ConnectionReply.parse(message);
                    case RTU -> ReadyToUse.parse(message);
                    case DREQ -> DisconnectRequest.parse(message);
                    case DREP -> DisconnectReply.parse(message);
                    case SIDR_REQ -> SidrRequest.parse(message);
                    case SIDR_REP -> SidrReply.parse(message);
                    case LAP, APR -> throw new AssertionError(attribute);
                };
        return new CmDatagram(ByteBuffer.wrap(mad).getLong(TRANSACTION_ID), parsed);
    }

    /// Encodes it into 256 new bytes.
    public byte[] emit() {
        byte[] mad = new byte[LENGTH];
        mad[BASE_VERSION] = MAD_BASE_VERSION;
        mad[MANAGEMENT_CLASS] = CLASS_COMMUNICATION_MANAGEMENT;
        mad[CLASS_VERSION] = CM_CLASS_VERSION;
        mad[METHOD] = METHOD_SEND;
        ByteBuffer header = ByteBuffer.wrap(mad);
        header.putLong(TRANSACTION_ID, transactionId);
        Fields.put16(header, ATTRIBUTE_ID, message.attribute().code());
        message.emit(ByteBuffer.wrap(mad, MESSAGE, CmMessage.LENGTH).slice());
        return mad;
    }

    private static @Nullable CmAttribute attribute(byte[] mad) {
        return CmAttribute.of(Fields.get16(ByteBuffer.wrap(mad), ATTRIBUTE_ID)).orElse(null);
    }
}
