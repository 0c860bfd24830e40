package dev.outboard.fabric.roce.wire.cm;

import java.nio.ByteBuffer;

/// One message of the communication management class: what follows the MAD header. Offsets in the
/// implementations count from the start of the message.
public sealed interface CmMessage
        permits ConnectionRequest,
                MessageReceiptAcknowledgement,
                Rejection,
                ConnectionReply,
                ReadyToUse,
                DisconnectRequest,
                DisconnectReply,
                SidrRequest,
                SidrReply {
    /// Every message fills the MAD.
    int LENGTH = 232;

    CmAttribute attribute();

    /// Writes all fields over `message`, whose bytes are 0.
    void emit(ByteBuffer message);
}
