package dev.outboard.naa.protocol;

import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import dev.outboard.naa.MrspMessage;

/// The messages of one end of a session, in memory that the device reads and writes: first the one
/// to send, then the buffers that receives fill in turn. Every receive has a buffer, also one that
/// is a placeholder for an RPC or a result: so a stray message cannot break the connection.
///
/// NAA-XFER-15, NAA-RET-21: nothing reads the buffer of a placeholder.
final class MessageBuffers {
    private final MemoryRegion memory;
    private final int receiveBuffers;
    private int receivesToPost;
    private int nextBuffer;
    private int lengthToSend;

    /// @param memory room for the message to send and one per buffer for receiving
    MessageBuffers(MemoryRegion memory, int receiveBuffers) {
        this.memory = memory;
        this.receiveBuffers = receiveBuffers;
    }

    /// Has one receive posted.
    void postReceive() {
        receivesToPost++;
    }

    /// Emits the next receive to post; its identifier tells the buffer.
    ///
    /// @return false if there is none
    boolean nextReceive(ReceiveRequest into) {
        if (receivesToPost == 0) {
            return false;
        }
        receivesToPost--;
        into.id(nextBuffer).buffer(memory, offset(nextBuffer), MrspCodec.MAX_LENGTH);
        nextBuffer = (nextBuffer + 1) % receiveBuffers;
        return true;
    }

    /// What has arrived in a buffer.
    MrspMessage received(long buffer, long length) {
        return MrspCodec.decode(memory.segment().asSlice(offset(buffer), length));
    }

    /// Has `message` sent.
    void send(MrspMessage message) {
        lengthToSend = MrspCodec.encode(message, memory.segment());
    }

    /// Emits the message to send.
    ///
    /// NAA-MRSP-3: peers sleep until a solicited completion.
    ///
    /// @return false if there is none
    boolean nextSend(SendRequest into) {
        if (lengthToSend == 0) {
            return false;
        }
        into.send().payload(memory, 0, lengthToSend).signaled(true).solicited(true);
        lengthToSend = 0;
        return true;
    }

    private static long offset(long buffer) {
        return (1 + buffer) * MrspCodec.MAX_LENGTH;
    }
}
