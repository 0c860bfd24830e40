package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;

/// DREQ: the sender has ended the connection.
///
/// @param remoteQpn the queue pair of the *receiver*
public record DisconnectRequest(int localId, int remoteId, int remoteQpn, Octets privateData)
        implements CmMessage {
    static final int PRIVATE_DATA_LENGTH = 220;

    private static final int LOCAL_ID = 0;
    private static final int REMOTE_ID = 4;
    private static final int REMOTE_QPN = 8;
    private static final int PRIVATE_DATA = 12;

    static DisconnectRequest parse(ByteBuffer message) {
        return new DisconnectRequest(
                message.getInt(LOCAL_ID),
                message.getInt(REMOTE_ID),
                Fields.get24(message, REMOTE_QPN),
                Octets.get(message, PRIVATE_DATA, PRIVATE_DATA_LENGTH));
    }

    @Override
    public CmAttribute attribute() {
        return CmAttribute.DREQ;
    }

    @Override
    public void emit(ByteBuffer message) {
        message.putInt(LOCAL_ID, localId);
        message.putInt(REMOTE_ID, remoteId);
        Fields.put24(message, REMOTE_QPN, remoteQpn);
        privateData.put(message, PRIVATE_DATA);
    }
}
