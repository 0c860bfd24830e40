package dev.outboard.fabric.roce.transport;

import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionOpcode;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.roce.wire.Packet;
import dev.outboard.fabric.verbs.QueuePairCore;

/// The end of a message that takes a receive: its last packet says what the completion tells.
public final class ReceivedMessage {
    private ReceivedMessage() {}

    /// The receive that was taken got a whole message, which `packet` ended; false if the
    /// application cannot be told.
    public static boolean complete(
            QueuePairCore core, CompletionOpcode opcode, long byteCount, Packet packet) {
        Completion completion = core.endReceive(CompletionStatus.SUCCESS, opcode, byteCount);
        if (completion != null) {
            describe(completion, packet);
        }
        return core.publishReceive(completion, packet.solicited());
    }

    /// The receive that was taken failed with `status` because of `packet`; false if the
    /// application cannot be told. An error counts as solicited (roce.md 3.9).
    public static boolean fail(QueuePairCore core, CompletionStatus status, Packet packet) {
        Completion completion = core.endReceive(status, CompletionOpcode.RECEIVE, 0);
        if (completion != null && packet.opcode().hasImmediate()) {
            completion.setImmediate(packet.immediate());
        }
        return core.publishReceive(completion, true);
    }

    private static void describe(Completion completion, Packet packet) {
        if (packet.opcode().hasImmediate()) {
            completion.setImmediate(packet.immediate());
        }
        if (packet.opcode().hasIeth()) {
            completion.setInvalidatedKey(packet.invalidateKey());
        }
        if (packet.opcode().hasDeth()) {
            completion.setDatagramSource(packet.sourceQpn());
        }
    }
}
