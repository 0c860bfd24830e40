package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.memory.MemoryFault;
import dev.outboard.fabric.roce.wire.Aeth;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.verbs.SendEntry;

/// What the answers of the peer mean for the request they are about (roce.md 3.5, 3.8).
final class Answers {
    private Answers() {}

    /// How a request ends that the peer refuses.
    ///
    /// ROCE-RC-18: each refusal of the peer has its completion status.
    static CompletionStatus statusOf(int syndrome) {
        return switch (syndrome) {
            case Aeth.NAK_INVALID_REQUEST -> CompletionStatus.REMOTE_INVALID_REQUEST_ERROR;
            case Aeth.NAK_REMOTE_ACCESS_ERROR -> CompletionStatus.REMOTE_ACCESS_ERROR;
            case Aeth.NAK_REMOTE_OPERATIONAL_ERROR -> CompletionStatus.REMOTE_OPERATION_ERROR;
            case Aeth.NAK_INVALID_RD_REQUEST -> CompletionStatus.REMOTE_INVALID_RD_REQUEST;
            default -> CompletionStatus.BAD_RESPONSE_ERROR;
        };
    }

    /// Stores what `packet` brings as answer `index` to `entry`. A response is known by its
    /// sequence number; whether it begins or continues a stream is the peer's affair when it was
    /// asked for again (roce.md 3.7).
    ///
    /// @return SUCCESS, or how the request ends
    static CompletionStatus store(
            RcConnection connection, RcQueuePair owner, SendEntry entry, int index, Packet packet) {
        int length = packet.payloadLength();
        int expected = entry.isAtomic() ? 0 : RequestBuilder.payloadBytes(connection, entry, index);
        boolean isSound =
                length == expected && (!packet.opcode().hasAeth() || Aeth.isAck(packet.syndrome()));
        if (!isSound) {
            return CompletionStatus.BAD_RESPONSE_ERROR;
        }
        if (!entry.isAccessible(owner.domain())) {
            return CompletionStatus.LOCAL_PROTECTION_ERROR;
        }
        try {
            if (entry.isAtomic()) {
                entry.storeWord(packet.originalValue(), owner.number());
            } else {
                long position = (long) index * connection.pathMtuBytes();
                entry.store(
                        position, packet.segment(), packet.payloadOffset(), length, owner.number());
            }
            return CompletionStatus.SUCCESS;
        } catch (IllegalStateException arenaClosed) {
            return CompletionStatus.LOCAL_PROTECTION_ERROR;
        } catch (MemoryFault refused) {
            return CompletionStatus.LOCAL_QP_OPERATION_ERROR;
        }
    }
}
