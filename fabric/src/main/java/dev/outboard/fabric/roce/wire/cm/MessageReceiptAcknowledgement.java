package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;

/// MRA: the message arrived, the answer will take longer than usual.
///
/// @param messageAcknowledged which message: [#OF_REQ], [#OF_REP] or 2 for LAP
/// @param serviceTimeout 5-bit code: how long the answer may take
public record MessageReceiptAcknowledgement(
        int localId, int remoteId, int messageAcknowledged, int serviceTimeout, Octets privateData)
        implements CmMessage {
    public static final int OF_REQ = 0;
    public static final int OF_REP = 1;
    static final int PRIVATE_DATA_LENGTH = 222;

    private static final int LOCAL_ID = 0;
    private static final int REMOTE_ID = 4;
    private static final int MESSAGE_ACKNOWLEDGED = 8;
    private static final int SERVICE_TIMEOUT = 9;
    private static final int PRIVATE_DATA = 10;

    static MessageReceiptAcknowledgement parse(ByteBuffer message) {
        return new MessageReceiptAcknowledgement(
                message.getInt(LOCAL_ID),
                message.getInt(REMOTE_ID),
                Fields.get8(message, MESSAGE_ACKNOWLEDGED) >>> 6,
                Fields.get8(message, SERVICE_TIMEOUT) >>> 3,
                Octets.get(message, PRIVATE_DATA, PRIVATE_DATA_LENGTH));
    }

    @Override
    public CmAttribute attribute() {
        return CmAttribute.MRA;
    }

    @Override
    public void emit(ByteBuffer message) {
        message.putInt(LOCAL_ID, localId);
        message.putInt(REMOTE_ID, remoteId);
        Fields.put8(message, MESSAGE_ACKNOWLEDGED, messageAcknowledged << 6);
        Fields.put8(message, SERVICE_TIMEOUT, serviceTimeout << 3);
        privateData.put(message, PRIVATE_DATA);
    }
}
