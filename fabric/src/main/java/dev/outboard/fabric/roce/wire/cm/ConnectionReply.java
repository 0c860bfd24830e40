package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;

/// REP: grants a connection. "Local" is the sender of the REP.
///
/// @param localId the sender's communication ID
/// @param remoteId the receiver's communication ID
/// @param local the sender's end of the connection; its vendor ID is in three pieces on the wire
/// @param flow what the sender offers and asks for
/// @param targetAckDelay 5-bit code: how long the sender may take to acknowledge
/// @param failoverAccepted 2 bits; 0 on RoCE
public record ConnectionReply(
        int localId,
        int remoteId,
        LocalEnd local,
        FlowControl flow,
        int targetAckDelay,
        int failoverAccepted,
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

    /// Every field is 0 until it is set.
    public static Builder builder() {
        return new Builder();
    }

    static ConnectionReply parse(ByteBuffer message) {
        int delay = Fields.get8(message, ACK_DELAY_FAILOVER);
        return builder()
                .localId(message.getInt(LOCAL_ID))
                .remoteId(message.getInt(REMOTE_ID))
                .local(parseLocal(message))
                .flow(parseFlow(message))
                .targetAckDelay(delay >>> 3)
                .failoverAccepted(delay >>> 1 & 0x3)
                .privateData(Octets.get(message, PRIVATE_DATA, PRIVATE_DATA_LENGTH))
                .build();
    }

    private static LocalEnd parseLocal(ByteBuffer message) {
        int vendorId =
                Fields.get8(message, VENDOR_ID_HIGH) << 16
                        | Fields.get8(message, VENDOR_ID_MIDDLE) << 8
                        | Fields.get8(message, VENDOR_ID_LOW);
        return LocalEnd.builder()
                .vendorId(vendorId)
                .caGuid(message.getLong(LOCAL_CA_GUID))
                .queueKey(message.getInt(LOCAL_QUEUE_KEY))
                .qpn(Fields.get24(message, LOCAL_QPN))
                .eecn(Fields.get24(message, LOCAL_EECN))
                .startingPsn(Fields.get24(message, STARTING_PSN))
                .sharedReceiveQueue(Fields.isSet(Fields.get8(message, RNR_SRQ), 4))
                .build();
    }

    private static FlowControl parseFlow(ByteBuffer message) {
        return FlowControl.builder()
                .responderResources(Fields.get8(message, RESPONDER_RESOURCES))
                .initiatorDepth(Fields.get8(message, INITIATOR_DEPTH))
                .endToEnd(Fields.isSet(Fields.get8(message, ACK_DELAY_FAILOVER), 0))
                .rnrRetryCount(Fields.get8(message, RNR_SRQ) >>> 5)
                .build();
    }

    @Override
    public CmAttribute attribute() {
        return CmAttribute.REP;
    }

    @Override
    public void emit(ByteBuffer message) {
        message.putInt(LOCAL_ID, localId);
        message.putInt(REMOTE_ID, remoteId);
        emitLocal(message);
        Fields.put8(message, RESPONDER_RESOURCES, flow.responderResources());
        Fields.put8(message, INITIATOR_DEPTH, flow.initiatorDepth());
        Fields.put8(
                message,
                ACK_DELAY_FAILOVER,
                targetAckDelay << 3 | failoverAccepted << 1 | Fields.bit(flow.endToEnd(), 0));
        Fields.put8(
                message,
                RNR_SRQ,
                flow.rnrRetryCount() << 5 | Fields.bit(local.sharedReceiveQueue(), 4));
        privateData.put(message, PRIVATE_DATA);
    }

    private void emitLocal(ByteBuffer message) {
        message.putInt(LOCAL_QUEUE_KEY, local.queueKey());
        Fields.put24(message, LOCAL_QPN, local.qpn());
        Fields.put8(message, VENDOR_ID_HIGH, local.vendorId() >>> 16);
        Fields.put24(message, LOCAL_EECN, local.eecn());
        Fields.put8(message, VENDOR_ID_MIDDLE, local.vendorId() >>> 8);
        Fields.put24(message, STARTING_PSN, local.startingPsn());
        Fields.put8(message, VENDOR_ID_LOW, local.vendorId());
        message.putLong(LOCAL_CA_GUID, local.caGuid());
    }

    /// Collects the fields; every call returns this builder.
    public static final class Builder {
        private int localId;
        private int remoteId;
        private LocalEnd local = LocalEnd.builder().build();
        private FlowControl flow = FlowControl.builder().build();
        private int targetAckDelay;
        private int failoverAccepted;
        private Octets privateData = Octets.EMPTY.padded(PRIVATE_DATA_LENGTH);

        private Builder() {}

        public Builder localId(int localId) {
            this.localId = localId;
            return this;
        }

        public Builder remoteId(int remoteId) {
            this.remoteId = remoteId;
            return this;
        }

        public Builder local(LocalEnd local) {
            this.local = local;
            return this;
        }

        public Builder flow(FlowControl flow) {
            this.flow = flow;
            return this;
        }

        public Builder targetAckDelay(int targetAckDelay) {
            this.targetAckDelay = targetAckDelay;
            return this;
        }

        public Builder failoverAccepted(int failoverAccepted) {
            this.failoverAccepted = failoverAccepted;
            return this;
        }

        public Builder privateData(Octets privateData) {
            this.privateData = privateData;
            return this;
        }

        public ConnectionReply build() {
            return new ConnectionReply(
                    localId, remoteId, local, flow, targetAckDelay, failoverAccepted, privateData);
        }
    }
}
