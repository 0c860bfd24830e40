package dev.outboard.fabric.roce.wire.cm;

import dev.outboard.fabric.roce.wire.Bth;
import java.nio.ByteBuffer;

/// REQ: asks for a connection. "Local" is the sender of the REQ, "remote" its receiver.
///
/// @param localId the sender's communication ID
/// @param service what is asked for
/// @param local the sender's end of the connection
/// @param flow what the sender offers and asks for
/// @param responses how soon and how often the two answer each other's messages
/// @param paths where the connection's packets go
/// @param privateData all 92 bytes, with the [IpAddressHeader]
public record ConnectionRequest(
        int localId,
        Service service,
        LocalEnd local,
        FlowControl flow,
        Responses responses,
        Paths paths,
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

    /// Which service is asked for, over which transport.
    ///
    /// @param transportType 2 bits: [#TRANSPORT_RC]
    /// @param extendedTransport 3 bits, for types that have no code of their own
    /// @param rdcExists of reliable datagrams: whether the channel exists already
    /// @param remoteEecn of reliable datagrams: the receiver's end-to-end context, 24 bits
    public record Service(
            ServiceId id,
            int transportType,
            int extendedTransport,
            boolean rdcExists,
            int remoteEecn) {}

    /// How soon and how often messages about the connection are answered.
    ///
    /// @param remoteTimeout 5-bit code: how soon the receiver shall answer
    /// @param localTimeout 5-bit code: how soon the sender answers a REP
    /// @param maxCmRetries 4 bits: how often either side repeats its REQ, REP or DREQ
    public record Responses(int remoteTimeout, int localTimeout, int maxCmRetries) {}

    /// The ways of the connection's packets, and what holds on all of them.
    ///
    /// @param mtu 4-bit code: the MTU is 128 << code bytes
    /// @param retryCount 3 bits: how often a packet without an answer is repeated
    public record Paths(
            int partitionKey, int mtu, int retryCount, PathRecord primary, PathRecord alternate) {}

    /// A REQ for RC in the default partition without alternate path; every other field is 0 until
    /// it is set.
    public static Builder builder() {
        return new Builder();
    }

    static ConnectionRequest parse(ByteBuffer message) {
        int transport = Fields.get8(message, REMOTE_TIMEOUT_TRANSPORT);
        int retry = Fields.get8(message, LOCAL_TIMEOUT_RETRY);
        int mtu = Fields.get8(message, MTU_RNR);
        int cmRetries = Fields.get8(message, CM_RETRIES_SRQ);
        return builder()
                .localId(message.getInt(LOCAL_ID))
                .serviceId(new ServiceId(message.getLong(SERVICE_ID)))
                .transportType(transport >>> 1 & 0x3)
                .extendedTransport(cmRetries & 0x7)
                .rdcExists(Fields.isSet(mtu, 3))
                .remoteEecn(Fields.get24(message, REMOTE_EECN))
                .local(parseLocal(message))
                .flow(parseFlow(message))
                .remoteResponseTimeout(transport >>> 3)
                .localResponseTimeout(retry >>> 3)
                .maxCmRetries(cmRetries >>> 4)
                .partitionKey(Fields.get16(message, PARTITION_KEY))
                .pathMtu(mtu >>> 4)
                .retryCount(retry & 0x7)
                .primaryPath(PathRecord.parse(message, PRIMARY_PATH))
                .alternatePath(PathRecord.parse(message, ALTERNATE_PATH))
                .privateData(Octets.get(message, PRIVATE_DATA, PRIVATE_DATA_LENGTH))
                .build();
    }

    private static LocalEnd parseLocal(ByteBuffer message) {
        return LocalEnd.builder()
                .vendorId(Fields.get24(message, VENDOR_ID))
                .caGuid(message.getLong(LOCAL_CA_GUID))
                .queueKey(message.getInt(LOCAL_QUEUE_KEY))
                .qpn(Fields.get24(message, LOCAL_QPN))
                .eecn(Fields.get24(message, LOCAL_EECN))
                .startingPsn(Fields.get24(message, STARTING_PSN))
                .sharedReceiveQueue(Fields.isSet(Fields.get8(message, CM_RETRIES_SRQ), 3))
                .build();
    }

    private static FlowControl parseFlow(ByteBuffer message) {
        return FlowControl.builder()
                .responderResources(Fields.get8(message, RESPONDER_RESOURCES))
                .initiatorDepth(Fields.get8(message, INITIATOR_DEPTH))
                .endToEnd(Fields.isSet(Fields.get8(message, REMOTE_TIMEOUT_TRANSPORT), 0))
                .rnrRetryCount(Fields.get8(message, MTU_RNR) & 0x7)
                .build();
    }

    @Override
    public CmAttribute attribute() {
        return CmAttribute.REQ;
    }

    @Override
    public void emit(ByteBuffer message) {
        message.putInt(LOCAL_ID, localId);
        message.putLong(SERVICE_ID, service.id().value());
        Fields.put24(message, REMOTE_EECN, service.remoteEecn());
        emitLocal(message);
        Fields.put8(message, RESPONDER_RESOURCES, flow.responderResources());
        Fields.put8(message, INITIATOR_DEPTH, flow.initiatorDepth());
        emitShared(message);
        Fields.put16(message, PARTITION_KEY, paths.partitionKey());
        paths.primary().emit(message, PRIMARY_PATH);
        paths.alternate().emit(message, ALTERNATE_PATH);
        privateData.put(message, PRIVATE_DATA);
    }

    private void emitLocal(ByteBuffer message) {
        Fields.put24(message, VENDOR_ID, local.vendorId());
        message.putLong(LOCAL_CA_GUID, local.caGuid());
        message.putInt(LOCAL_QUEUE_KEY, local.queueKey());
        Fields.put24(message, LOCAL_QPN, local.qpn());
        Fields.put24(message, LOCAL_EECN, local.eecn());
        Fields.put24(message, STARTING_PSN, local.startingPsn());
    }

    /// The bytes in which fields of several groups lie.
    private void emitShared(ByteBuffer message) {
        Fields.put8(
                message,
                REMOTE_TIMEOUT_TRANSPORT,
                responses.remoteTimeout() << 3
                        | service.transportType() << 1
                        | Fields.bit(flow.endToEnd(), 0));
        Fields.put8(
                message, LOCAL_TIMEOUT_RETRY, responses.localTimeout() << 3 | paths.retryCount());
        Fields.put8(
                message,
                MTU_RNR,
                paths.mtu() << 4 | Fields.bit(service.rdcExists(), 3) | flow.rnrRetryCount());
        Fields.put8(
                message,
                CM_RETRIES_SRQ,
                responses.maxCmRetries() << 4
                        | Fields.bit(local.sharedReceiveQueue(), 3)
                        | service.extendedTransport());
    }

    /// Collects the fields; every call returns this builder.
    public static final class Builder {
        private int localId;
        private ServiceId serviceId = new ServiceId(0);
        private int transportType = TRANSPORT_RC;
        private int extendedTransport;
        private boolean rdcExists;
        private int remoteEecn;
        private LocalEnd local = LocalEnd.builder().build();
        private FlowControl flow = FlowControl.builder().build();
        private int remoteResponseTimeout;
        private int localResponseTimeout;
        private int maxCmRetries;
        private int partitionKey = Bth.DEFAULT_PARTITION_KEY;
        private int pathMtu;
        private int retryCount;
        private PathRecord primaryPath = PathRecord.ABSENT;
        private PathRecord alternatePath = PathRecord.ABSENT;
        private Octets privateData = Octets.EMPTY.padded(PRIVATE_DATA_LENGTH);

        private Builder() {}

        public Builder localId(int localId) {
            this.localId = localId;
            return this;
        }

        public Builder serviceId(ServiceId serviceId) {
            this.serviceId = serviceId;
            return this;
        }

        public Builder transportType(int transportType) {
            this.transportType = transportType;
            return this;
        }

        public Builder extendedTransport(int extendedTransport) {
            this.extendedTransport = extendedTransport;
            return this;
        }

        public Builder rdcExists(boolean rdcExists) {
            this.rdcExists = rdcExists;
            return this;
        }

        public Builder remoteEecn(int remoteEecn) {
            this.remoteEecn = remoteEecn;
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

        public Builder remoteResponseTimeout(int remoteResponseTimeout) {
            this.remoteResponseTimeout = remoteResponseTimeout;
            return this;
        }

        public Builder localResponseTimeout(int localResponseTimeout) {
            this.localResponseTimeout = localResponseTimeout;
            return this;
        }

        public Builder maxCmRetries(int maxCmRetries) {
            this.maxCmRetries = maxCmRetries;
            return this;
        }

        public Builder partitionKey(int partitionKey) {
            this.partitionKey = partitionKey;
            return this;
        }

        public Builder pathMtu(int pathMtu) {
            this.pathMtu = pathMtu;
            return this;
        }

        public Builder retryCount(int retryCount) {
            this.retryCount = retryCount;
            return this;
        }

        public Builder primaryPath(PathRecord primaryPath) {
            this.primaryPath = primaryPath;
            return this;
        }

        public Builder alternatePath(PathRecord alternatePath) {
            this.alternatePath = alternatePath;
            return this;
        }

        public Builder privateData(Octets privateData) {
            this.privateData = privateData;
            return this;
        }

        public ConnectionRequest build() {
            return new ConnectionRequest(
                    localId,
                    new Service(serviceId, transportType, extendedTransport, rdcExists, remoteEecn),
                    local,
                    flow,
                    new Responses(remoteResponseTimeout, localResponseTimeout, maxCmRetries),
                    new Paths(partitionKey, pathMtu, retryCount, primaryPath, alternatePath),
                    privateData);
        }
    }
}
