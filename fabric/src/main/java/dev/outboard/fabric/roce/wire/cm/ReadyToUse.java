package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;

/// RTU: the answer to a REP, whose receiver is ready.
public record ReadyToUse(int localId, int remoteId, Octets privateData) implements CmMessage {
    static final int PRIVATE_DATA_LENGTH = 224;

    private static final int LOCAL_ID = 0;
    private static final int REMOTE_ID = 4;
    private static final int PRIVATE_DATA = 8;

    static ReadyToUse parse(ByteBuffer message) {
        return new ReadyToUse(
                message.getInt(LOCAL_ID),
                message.getInt(REMOTE_ID),
                Octets.get(message, PRIVATE_DATA, PRIVATE_DATA_LENGTH));
    }

    @Override
    public CmAttribute attribute() {
        return CmAttribute.RTU;
    }

    @Override
    public void emit(ByteBuffer message) {
        message.putInt(LOCAL_ID, localId);
        message.putInt(REMOTE_ID, remoteId);
        privateData.put(message, PRIVATE_DATA);
    }
}
