package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;

/// REP: grants a connection. "Local" is the sender of the REP.
///
/// @param vendorId 24 bits, in three pieces on the wire
/// @param startingPsn the PSN that the *receiver* of the REP starts sending with
/// @param responderResources READs and atomics that the sender can serve at a time
/// @param initiatorDepth READs and atomics that the sender will have outstanding
/// @param targetAckDelay 5-bit code: how long the sender may take to acknowledge
/// @param failoverAccepted 2 bits; 0 on RoCE
public record ConnectionReply(
        int localId,
        int remoteId,
        int localQueueKey,
        int localQpn,
        int vendorId,
        int localEecn,
        int startingPsn,
        int responderResources,
        int initiatorDepth,
        int targetAckDelay,
        int failoverAccepted,
        boolean endToEndFlowControl,
        int rnrRetryCount,
        boolean sharedReceiveQueue,
        long localCaGuid,
        Octets privateData)
        implements CmMessage {
    public static final int PRIVATE_DATA_LENGTH = 196;

    private static final int LOCAL_ID = 0;
    private static final int REMOTE_ID = 4;
    private static final int LOCAL_QUEUE_KEY = 8;
    private static final int LOCAL_QPN = 12;
    private static final int VENDOR_ID_HIGH = 15;
    private static final int LOCAL_EECN = 16;
    private static final int VENDOR_ID_MIDDLE = 19;
    private static final int STARTING_PSN = 20;
    private static final int VENDOR_ID_LOW = 23;
    private static final int RESPONDER_RESOURCES = 24;
    private static final int INITIATOR_DEPTH = 25;
    private static final int ACK_DELAY_FAILOVER = 26;
    private static final int RNR_SRQ = 27;
    private static final int LOCAL_CA_GUID = 28;
    private static final int PRIVATE_DATA = 36;

    static ConnectionReply parse(ByteBuffer message) {
        int delay = Fields.get8(message, ACK_DELAY_FAILOVER);
        int rnr = Fields.get8(message, RNR_SRQ);
        int vendorId =
                Fields.get8(message, VENDOR_ID_HIGH) << 16
                        | Fields.get8(message, VENDOR_ID_MIDDLE) << 8
                        | Fields.get8(message, VENDOR_ID_LOW);
        return new ConnectionReply(
                message.getInt(LOCAL_ID),
                message.getInt(REMOTE_ID),
                message.getInt(LOCAL_QUEUE_KEY),
                Fields.get24(message, LOCAL_QPN),
                vendorId,
                Fields.get24(message, LOCAL_EECN),
                Fields.get24(message, STARTING_PSN),
                Fields.get8(message, RESPONDER_RESOURCES),
                Fields.get8(message, INITIATOR_DEPTH),
                delay >>> 3,
                delay >>> 1 & 0x3,
                Fields.isSet(delay, 0),
                rnr >>> 5,
                Fields.isSet(rnr, 4),
                message.getLong(LOCAL_CA_GUID),
                Octets.get(message, PRIVATE_DATA, PRIVATE_DATA_LENGTH));
    }

    @Override
    public CmAttribute attribute() {
        return CmAttribute.REP;
    }

    @Override
    public void emit(ByteBuffer message) {
        message.putInt(LOCAL_ID, localId);
        message.putInt(REMOTE_ID, remoteId);
        message.putInt(LOCAL_QUEUE_KEY, localQueueKey);
        Fields.put24(message, LOCAL_QPN, localQpn);
        Fields.put8(message, VENDOR_ID_HIGH, vendorId >>> 16);
        Fields.put24(message, LOCAL_EECN, localEecn);
        Fields.put8(message, VENDOR_ID_MIDDLE, vendorId >>> 8);
        Fields.put24(message, STARTING_PSN, startingPsn);
        Fields.put8(message, VENDOR_ID_LOW, vendorId);
        Fields.put8(message, RESPONDER_RESOURCES, responderResources);
        Fields.put8(message, INITIATOR_DEPTH, initiatorDepth);
        Fields.put8(
                message,
                ACK_DELAY_FAILOVER,
                targetAckDelay << 3 | failoverAccepted << 1 | Fields.bit(endToEndFlowControl, 0));
        Fields.put8(message, RNR_SRQ, rnrRetryCount << 5 | Fields.bit(sharedReceiveQueue, 4));
        message.putLong(LOCAL_CA_GUID, localCaGuid);
        privateData.put(message, PRIVATE_DATA);
    }
}
