package dev.outboard.fabric.roce.wire.cm;

import dev.outboard.fabric.roce.wire.Gid;
import java.nio.ByteBuffer;

/// The path between two ports as a REQ describes it (44 bytes).
///
/// @param localLid 0xFFFF on RoCE, which has no LIDs; 0 in an absent alternate path
/// @param localGid the address of the REQ's sender
/// @param remoteGid the address of the REQ's receiver
/// @param flowLabel 20 bits
/// @param packetRate 6 bits; 0 is the rate of the port
/// @param serviceLevel 4 bits
/// @param localAckTimeout 5 bits: how long the *receiver* waits for acknowledgements, 4.096
///   µs·2^code
public record PathRecord(
        int localLid,
        int remoteLid,
        Gid localGid,
        Gid remoteGid,
        int flowLabel,
        int packetRate,
        int trafficClass,
        int hopLimit,
        int serviceLevel,
        boolean subnetLocal,
        int localAckTimeout) {
    static final int LENGTH = 44;

    private static final int PERMISSIVE_LID = 0xFFFF;
    private static final Gid NO_GID = new Gid(0, 0);

    /// All fields 0: there is no such path.
    public static final PathRecord ABSENT = builder().localLid(0).remoteLid(0).build();

    private static final int LOCAL_LID = 0;
    private static final int REMOTE_LID = 2;
    private static final int LOCAL_GID = 4;
    private static final int REMOTE_GID = 20;
    private static final int FLOW_LABEL = 36;
    private static final int TRAFFIC_CLASS = 40;
    private static final int HOP_LIMIT = 41;
    private static final int SERVICE_LEVEL = 42;
    private static final int LOCAL_ACK_TIMEOUT = 43;

    /// A path on RoCE; every field but the LIDs is 0 until it is set.
    public static Builder builder() {
        return new Builder();
    }

    static PathRecord parse(ByteBuffer message, int at) {
        int label = message.getInt(at + FLOW_LABEL);
        int level = Fields.get8(message, at + SERVICE_LEVEL);
        return builder()
                .localLid(Fields.get16(message, at + LOCAL_LID))
                .remoteLid(Fields.get16(message, at + REMOTE_LID))
                .localGid(Fields.getGid(message, at + LOCAL_GID))
                .remoteGid(Fields.getGid(message, at + REMOTE_GID))
                .flowLabel(label >>> 12)
                .packetRate(label & 0x3F)
                .trafficClass(Fields.get8(message, at + TRAFFIC_CLASS))
                .hopLimit(Fields.get8(message, at + HOP_LIMIT))
                .serviceLevel(level >>> 4)
                .subnetLocal(Fields.isSet(level, 3))
                .localAckTimeout(Fields.get8(message, at + LOCAL_ACK_TIMEOUT) >>> 3)
                .build();
    }

    void emit(ByteBuffer message, int at) {
        Fields.put16(message, at + LOCAL_LID, localLid);
        Fields.put16(message, at + REMOTE_LID, remoteLid);
        Fields.putGid(message, at + LOCAL_GID, localGid);
        Fields.putGid(message, at + REMOTE_GID, remoteGid);
        message.putInt(at + FLOW_LABEL, flowLabel << 12 | packetRate);
        Fields.put8(message, at + TRAFFIC_CLASS, trafficClass);
        Fields.put8(message, at + HOP_LIMIT, hopLimit);
        Fields.put8(message, at + SERVICE_LEVEL, serviceLevel << 4 | Fields.bit(subnetLocal, 3));
        Fields.put8(message, at + LOCAL_ACK_TIMEOUT, localAckTimeout << 3);
    }

    /// Collects the fields; every call returns this builder.
    public static final class Builder {
        private int localLid = PERMISSIVE_LID;
        private int remoteLid = PERMISSIVE_LID;
        private Gid localGid = NO_GID;
        private Gid remoteGid = NO_GID;
        private int flowLabel;
        private int packetRate;
        private int trafficClass;
        private int hopLimit;
        private int serviceLevel;
        private boolean subnetLocal;
        private int localAckTimeout;

        private Builder() {}

        public Builder localLid(int localLid) {
            this.localLid = localLid;
            return this;
        }

        public Builder remoteLid(int remoteLid) {
            this.remoteLid = remoteLid;
            return this;
        }

        public Builder localGid(Gid localGid) {
            this.localGid = localGid;
            return this;
        }

        public Builder remoteGid(Gid remoteGid) {
            this.remoteGid = remoteGid;
            return this;
        }

        public Builder flowLabel(int flowLabel) {
            this.flowLabel = flowLabel;
            return this;
        }

        public Builder packetRate(int packetRate) {
            this.packetRate = packetRate;
            return this;
        }

        public Builder trafficClass(int trafficClass) {
            this.trafficClass = trafficClass;
            return this;
        }

        public Builder hopLimit(int hopLimit) {
            this.hopLimit = hopLimit;
            return this;
        }

        public Builder serviceLevel(int serviceLevel) {
            this.serviceLevel = serviceLevel;
            return this;
        }

        public Builder subnetLocal(boolean subnetLocal) {
            this.subnetLocal = subnetLocal;
            return this;
        }

        public Builder localAckTimeout(int localAckTimeout) {
            this.localAckTimeout = localAckTimeout;
            return this;
        }

        public PathRecord build() {
            return new PathRecord(
                    localLid,
                    remoteLid,
                    localGid,
                    remoteGid,
                    flowLabel,
                    packetRate,
                    trafficClass,
                    hopLimit,
                    serviceLevel,
                    subnetLocal,
                    localAckTimeout);
        }
    }
}
