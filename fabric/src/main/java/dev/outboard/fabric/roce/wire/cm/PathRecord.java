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
/// @param localAckTimeout 5 bits: the timeout of the *receiver's* queue pair is 4.096 µs·2^code
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

    /// All fields 0: there is no such path.
    public static final PathRecord ABSENT =
            new PathRecord(0, 0, new Gid(0, 0), new Gid(0, 0), 0, 0, 0, 0, 0, false, 0);

    private static final int LOCAL_LID = 0;
    private static final int REMOTE_LID = 2;
    private static final int LOCAL_GID = 4;
    private static final int REMOTE_GID = 20;
    private static final int FLOW_LABEL = 36;
    private static final int TRAFFIC_CLASS = 40;
    private static final int HOP_LIMIT = 41;
    private static final int SERVICE_LEVEL = 42;
    private static final int LOCAL_ACK_TIMEOUT = 43;

    static PathRecord parse(ByteBuffer message, int at) {
        int label = message.getInt(at + FLOW_LABEL);
        int level = Fields.get8(message, at + SERVICE_LEVEL);
        return new PathRecord(
                Fields.get16(message, at + LOCAL_LID),
                Fields.get16(message, at + REMOTE_LID),
                Fields.getGid(message, at + LOCAL_GID),
                Fields.getGid(message, at + REMOTE_GID),
                label >>> 12,
                label & 0x3F,
                Fields.get8(message, at + TRAFFIC_CLASS),
                Fields.get8(message, at + HOP_LIMIT),
                level >>> 4,
                Fields.isSet(level, 3),
                Fields.get8(message, at + LOCAL_ACK_TIMEOUT) >>> 3);
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
}
