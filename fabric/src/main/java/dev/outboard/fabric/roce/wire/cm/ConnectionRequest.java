package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;

/// REQ: asks for a connection. "Local" is the sender of the REQ, "remote" its receiver. End-to-end
/// contexts, the Q_Key and the vendor ID are 0 on reliable connections over RoCE.
///
/// @param localId the sender's communication ID
/// @param vendorId 24 bits
/// @param responderResources READs and atomics that the sender can serve at a time
/// @param initiatorDepth READs and atomics that the sender will have outstanding
/// @param remoteResponseTimeout 5-bit code: how soon the receiver shall answer
/// @param transportType 0 is RC
/// @param startingPsn the PSN that the *receiver* of the REQ starts sending with
/// @param localResponseTimeout 5-bit code: how soon the sender answers a REP
/// @param pathMtu code: the MTU is 128 << code bytes
/// @param maxCmRetries how often either side repeats its REQ, REP or DREQ
/// @param privateData all 92 bytes, with the [IpAddressHeader]
public record ConnectionRequest(
        int localId,
        int vendorId,
        ServiceId serviceId,
        long localCaGuid,
        int localQueueKey,
        int localQpn,
        int responderResources,
        int localEecn,
        int initiatorDepth,
        int remoteEecn,
        int remoteResponseTimeout,
        int transportType,
        boolean endToEndFlowControl,
        int startingPsn,
        int localResponseTimeout,
        int retryCount,
        int partitionKey,
        int pathMtu,
        boolean rdcExists,
        int rnrRetryCount,
        int maxCmRetries,
        boolean sharedReceiveQueue,
        int extendedTransport,
        PathRecord primaryPath,
        PathRecord alternatePath,
        Octets privateData)
        implements CmMessage {
    public static final int PRIVATE_DATA_LENGTH = 92;
    public static final int TRANSPORT_RC = 0;

    private static final int LOCAL_ID = 0;
    private static final int VENDOR_ID = 5;
    private static final int SERVICE_ID = 8;
    private static final int LOCAL_CA_GUID = 16;
    private static final int LOCAL_QUEUE_KEY = 28;
    private static final int LOCAL_QPN = 32;
    private static final int RESPONDER_RESOURCES = 35;
    private static final int LOCAL_EECN = 36;
    private static final int INITIATOR_DEPTH = 39;
    private static final int REMOTE_EECN = 40;
    private static final int REMOTE_TIMEOUT_TRANSPORT = 43;
    private static final int STARTING_PSN = 44;
    private static final int LOCAL_TIMEOUT_RETRY = 47;
    private static final int PARTITION_KEY = 48;
    private static final int MTU_RNR = 50;
    private static final int CM_RETRIES_SRQ = 51;
    private static final int PRIMARY_PATH = 52;
    private static final int ALTERNATE_PATH = PRIMARY_PATH + PathRecord.LENGTH;
    private static final int PRIVATE_DATA = ALTERNATE_PATH + PathRecord.LENGTH;

    static ConnectionRequest parse(ByteBuffer message) {
        int transport = Fields.get8(message, REMOTE_TIMEOUT_TRANSPORT);
        int retry = Fields.get8(message, LOCAL_TIMEOUT_RETRY);
        int mtu = Fields.get8(message, MTU_RNR);
        int cmRetries = Fields.get8(message, CM_RETRIES_SRQ);
        return new ConnectionRequest(
                message.getInt(LOCAL_ID),
                Fields.get24(message, VENDOR_ID),
                new ServiceId(message.getLong(SERVICE_ID)),
                message.getLong(LOCAL_CA_GUID),
                message.getInt(LOCAL_QUEUE_KEY),
                Fields.get24(message, LOCAL_QPN),
                Fields.get8(message, RESPONDER_RESOURCES),
                Fields.get24(message, LOCAL_EECN),
                Fields.get8(message, INITIATOR_DEPTH),
                Fields.get24(message, REMOTE_EECN),
                transport >>> 3,
                transport >>> 1 & 0x3,
                Fields.isSet(transport, 0),
                Fields.get24(message, STARTING_PSN),
                retry >>> 3,
                retry & 0x7,
                Fields.get16(message, PARTITION_KEY),
                mtu >>> 4,
                Fields.isSet(mtu, 3),
                mtu & 0x7,
                cmRetries >>> 4,
                Fields.isSet(cmRetries, 3),
                cmRetries & 0x7,
                PathRecord.parse(message, PRIMARY_PATH),
                PathRecord.parse(message, ALTERNATE_PATH),
                Octets.get(message, PRIVATE_DATA, PRIVATE_DATA_LENGTH));
    }

    @Override
    public CmAttribute attribute() {
        return CmAttribute.REQ;
    }

    @Override
    public void emit(ByteBuffer message) {
        message.putInt(LOCAL_ID, localId);
        Fields.put24(message, VENDOR_ID, vendorId);
        message.putLong(SERVICE_ID, serviceId.value());
        message.putLong(LOCAL_CA_GUID, localCaGuid);
        message.putInt(LOCAL_QUEUE_KEY, localQueueKey);
        Fields.put24(message, LOCAL_QPN, localQpn);
        Fields.put8(message, RESPONDER_RESOURCES, responderResources);
        Fields.put24(message, LOCAL_EECN, localEecn);
        Fields.put8(message, INITIATOR_DEPTH, initiatorDepth);
        Fields.put24(message, REMOTE_EECN, remoteEecn);
        Fields.put8(
                message,
                REMOTE_TIMEOUT_TRANSPORT,
                remoteResponseTimeout << 3
                        | transportType << 1
                        | Fields.bit(endToEndFlowControl, 0));
        Fields.put24(message, STARTING_PSN, startingPsn);
        Fields.put8(message, LOCAL_TIMEOUT_RETRY, localResponseTimeout << 3 | retryCount);
        Fields.put16(message, PARTITION_KEY, partitionKey);
        Fields.put8(message, MTU_RNR, pathMtu << 4 | Fields.bit(rdcExists, 3) | rnrRetryCount);
        Fields.put8(
                message,
                CM_RETRIES_SRQ,
                maxCmRetries << 4 | Fields.bit(sharedReceiveQueue, 3) | extendedTransport);
        primaryPath.emit(message, PRIMARY_PATH);
        alternatePath.emit(message, ALTERNATE_PATH);
        privateData.put(message, PRIVATE_DATA);
    }
}
