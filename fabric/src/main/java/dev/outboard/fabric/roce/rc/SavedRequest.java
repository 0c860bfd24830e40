package dev.outboard.fabric.roce.rc;

/// A READ or atomic that was accepted: what its answer consists of, kept so that it can be sent
/// again, and how far it has been sent (roce.md 3.7). A slot of [ResponderResources].
final class SavedRequest {
    boolean isAtomic;
    int psn;
    int msn;

    /// How many packets the answer has.
    int packets;

    /// READ: what is read.
    int key;

    long address;
    long length;

    /// Atomic: what the memory held before.
    long originalValue;

    /// The packets from `next` to `end` are to be sent; the stream they belong to began at `start`
    /// and ends before byte `endByte`.
    int start;

    int next;
    int end;
    long endByte;

    /// Whether all of it has been sent once. Of a slot not used yet there is nothing to send.
    boolean isAnswered = true;

    boolean isPending() {
        return next < end;
    }

    /// Sends the packets `from` to `to`, once more if need be. A stream under way that has not come
    /// to `from` yet gets there by itself.
    void answer(int from, int to, long toByte) {
        if (!isPending() || from < next) {
            start = from;
            next = from;
            end = to;
            endByte = toByte;
        } else {
            end = Math.max(end, to);
            endByte = Math.max(endByte, toByte);
        }
    }

    /// One more packet was sent.
    void advance() {
        next++;
        isAnswered |= next == packets;
    }
}
