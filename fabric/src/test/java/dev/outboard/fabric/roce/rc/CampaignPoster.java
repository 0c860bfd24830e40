package dev.outboard.fabric.roce.rc;

import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.rc.PlannedMessage.Flaw;

/// Makes the requests of one end of a campaign from the plan.
final class CampaignPoster {
    private final CampaignMemory memory;
    private final CampaignMemory peerMemory;
    private final SendRequest request = new SendRequest();

    CampaignPoster(CampaignMemory memory, CampaignMemory peerMemory) {
        this.memory = memory;
        this.peerMemory = peerMemory;
    }

    /// The request for `message`, until the next call.
    SendRequest request(PlannedMessage message) {
        request.id(message.index())
                .noPayload()
                .signaled(message.signaled())
                .solicited(message.solicited())
                .fence(message.fence())
                .inline(message.inline());
        RegisteredRegion local = localOf(message);
        long offset = message.localOffset();
        for (int length : message.pieces()) {
            request.appendPayload(local, offset, length);
            offset += length;
        }
        long address = addressOf(message);
        int key = keyOf(message);
        PlannedMessage.Operands operands = message.operands();
        return switch (message.operation()) {
            case SEND -> request.send();
            case SEND_WITH_IMMEDIATE -> request.sendWithImmediate(message.immediate());
            case RDMA_WRITE -> request.write(address, key);
            case RDMA_WRITE_WITH_IMMEDIATE ->
                    request.writeWithImmediate(address, key, message.immediate());
            case RDMA_READ -> request.read(address, key);
            case COMPARE_AND_SWAP ->
                    request.compareAndSwap(address, key, operands.compare(), operands.swapOrAdd());
            case FETCH_AND_ADD -> request.fetchAndAdd(address, key, operands.swapOrAdd());
            default -> throw new IllegalStateException("not in the campaign");
        };
    }

    private RegisteredRegion localOf(PlannedMessage message) {
        if (message.flaw() == Flaw.UNREGISTERED_SOURCE) {
            return memory.closed;
        }
        return message.isAnsweredWithData() ? memory.sink : memory.source;
    }

    private RegisteredRegion remoteOf(PlannedMessage message) {
        if (message.isRead()) {
            return peerMemory.shelf;
        }
        return message.isAtomic() ? peerMemory.words : peerMemory.target;
    }

    private long addressOf(PlannedMessage message) {
        RegisteredRegion remote = remoteOf(message);
        return switch (message.flaw()) {
            case BEYOND_REGION ->
                    message.isAtomic()
                            ? remote.address() + remote.length()
                            : remote.address() + remote.length() - message.length() + 1;
            case NO_RIGHT -> peerMemory.receive.address() & -Long.BYTES;
            case MISALIGNED -> remote.address() + 4;
            default -> remote.address() + message.remoteOffset();
        };
    }

    private int keyOf(PlannedMessage message) {
        return switch (message.flaw()) {
            case WRONG_KEY -> peerMemory.closed.remoteKey();
            case NO_RIGHT -> peerMemory.receive.remoteKey();
            default -> remoteOf(message).remoteKey();
        };
    }
}
