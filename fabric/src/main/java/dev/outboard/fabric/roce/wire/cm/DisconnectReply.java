package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;

/// DREP: answers a DREQ, whether or not there was such a connection.
public record DisconnectReply(int localId, int remoteId, Octets privateData) implements CmMessage {
    static final int PRIVATE_DATA_LENGTH = 224;

    private static final int LOCAL_ID = 0;
    private static final int REMOTE_ID = 4;
    private static final int PRIVATE_DATA = 8;

    static DisconnectReply parse(ByteBuffer message) {
        return new DisconnectReply(
                message.getInt(LOCAL_ID),
                message.getInt(REMOTE_ID),
                Octets.get(message, PRIVATE_DATA, PRIVATE_DATA_LENGTH));
    }

    @Override
    public CmAttribute attribute() {
        return CmAttribute.DREP;
    }

    @Override
    public void emit(ByteBuffer message) {
        message.putInt(LOCAL_ID, localId);
        message.putInt(REMOTE_ID, remoteId);
        privateData.put(message, PRIVATE_DATA);
    }
}
