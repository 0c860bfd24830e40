package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;

/// REJ: no connection, and why.
///
/// @param localId the sender's communication ID; 0 when it rejects a REQ
/// @param remoteId the receiver's communication ID; 0 when the sender never learned it
/// @param messageRejected which message: [#OF_REQ], [#OF_REP] or [#OF_NONE]
/// @param reason a code of [RejectReason], or one that nobody defined yet
/// @param additionalInfoLength how many bytes of `additionalInfo` count, as sent: up to 127
/// @param additionalInfo all 72 bytes; what they say depends on the reason
public record Rejection(
        int localId,
        int remoteId,
        int messageRejected,
        int additionalInfoLength,
        int reason,
        Octets additionalInfo,
        Octets privateData)
        implements CmMessage {
    public static final int OF_REQ = 0;
    public static final int OF_REP = 1;
    public static final int OF_NONE = 2;
    static final int ADDITIONAL_INFO_LENGTH = 72;
    public static final int PRIVATE_DATA_LENGTH = 148;

    private static final int LOCAL_ID = 0;
    private static final int REMOTE_ID = 4;
    private static final int MESSAGE_REJECTED = 8;
    private static final int INFO_LENGTH = 9;
    private static final int REASON = 10;
    private static final int ADDITIONAL_INFO = 12;
    private static final int PRIVATE_DATA = 84;

    /// A rejection for `reason`; shorter fields are padded.
    public static Rejection of(
            int localId,
            int remoteId,
            int messageRejected,
            RejectReason reason,
            Octets additionalInfo,
            Octets privateData) {
        return new Rejection(
                localId,
                remoteId,
                messageRejected,
                additionalInfo.length(),
                reason.code(),
                additionalInfo.padded(ADDITIONAL_INFO_LENGTH),
                privateData.padded(PRIVATE_DATA_LENGTH));
    }

    static Rejection parse(ByteBuffer message) {
        return new Rejection(
                message.getInt(LOCAL_ID),
                message.getInt(REMOTE_ID),
                Fields.get8(message, MESSAGE_REJECTED) >>> 6,
                Fields.get8(message, INFO_LENGTH) >>> 1,
                Fields.get16(message, REASON),
                Octets.get(message, ADDITIONAL_INFO, ADDITIONAL_INFO_LENGTH),
                Octets.get(message, PRIVATE_DATA, PRIVATE_DATA_LENGTH));
    }

    @Override
    public CmAttribute attribute() {
        return CmAttribute.REJ;
    }

    @Override
    public void emit(ByteBuffer message) {
        message.putInt(LOCAL_ID, localId);
        message.putInt(REMOTE_ID, remoteId);
        Fields.put8(message, MESSAGE_REJECTED, messageRejected << 6);
        Fields.put8(message, INFO_LENGTH, additionalInfoLength << 1);
        Fields.put16(message, REASON, reason);
        additionalInfo.put(message, ADDITIONAL_INFO);
        privateData.put(message, PRIVATE_DATA);
    }
}
