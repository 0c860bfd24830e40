package dev.outboard.fabric.roce.rc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.memory.RegionTable;
import dev.outboard.fabric.memory.RegisteredRegion;
import dev.outboard.fabric.roce.rc.PlannedMessage.Flaw;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.IntStream;

/// The memory of one end of a campaign: one block with regions in it and unregistered bytes around
/// them, and a second block that holds what the first one should.
final class CampaignMemory {
    private static final int GUARD_BYTES = 64;
    private static final byte SCRIBBLE = (byte) 0xEE;

    final RegisteredRegion source;
    final RegisteredRegion target;
    final RegisteredRegion receive;

    /// What READs and atomics bring.
    final RegisteredRegion sink;

    /// What the peer reads.
    final RegisteredRegion shelf;

    /// What the atomics of the peer work on.
    final RegisteredRegion words;

    /// Covers the receive memory, and may not be written.
    final RegisteredRegion readOnly;

    /// Covers the source memory, and is registered no longer.
    final RegisteredRegion closed;

    private final MemorySegment block;
    private final MemorySegment expected;

    /// Memory for what is sent as `outgoing` and what comes as `incoming`.
    CampaignMemory(Arena arena, RegionTable regions, Traffic outgoing, Traffic incoming) {
        long sourceAt = GUARD_BYTES;
        long targetAt = sourceAt + outgoing.sourceBytes + GUARD_BYTES;
        long receiveAt = targetAt + incoming.targetBytes + GUARD_BYTES;
        long sinkAt = receiveAt + incoming.receiveBytes + GUARD_BYTES;
        long shelfAt = sinkAt + outgoing.sinkBytes + GUARD_BYTES;
        long wordsAt = (shelfAt + incoming.shelfBytes + GUARD_BYTES) & -Long.BYTES;
        long size = wordsAt + Traffic.WORDS * Long.BYTES + GUARD_BYTES;
        block = arena.allocate(size, Long.BYTES);
        expected = arena.allocate(size);
        Pattern.fill(block, size);
        int domain = SimulatedEndpoint.DOMAIN;
        MemorySegment sources = block.asSlice(sourceAt, outgoing.sourceBytes);
        MemorySegment receives = block.asSlice(receiveAt, incoming.receiveBytes);
        source = regions.register(domain, sources, Set.of());
        target =
                regions.register(
                        domain,
                        block.asSlice(targetAt, incoming.targetBytes),
                        Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE));
        receive = regions.register(domain, receives, Set.of(Access.LOCAL_WRITE));
        sink =
                regions.register(
                        domain,
                        block.asSlice(sinkAt, outgoing.sinkBytes),
                        Set.of(Access.LOCAL_WRITE));
        shelf =
                regions.register(
                        domain,
                        block.asSlice(shelfAt, incoming.shelfBytes),
                        Set.of(Access.REMOTE_READ));
        words =
                regions.register(
                        domain,
                        block.asSlice(wordsAt, Traffic.WORDS * Long.BYTES),
                        Set.of(Access.LOCAL_WRITE, Access.REMOTE_ATOMIC));
        readOnly = regions.register(domain, receives, Set.of());
        closed = regions.register(domain, sources, Set.of());
        closed.close();
        for (PlannedMessage message : outgoing.messages) {
            if (!message.isAnsweredWithData()) {
                Pattern.fill(localOf(message), message.pattern());
            }
        }
        for (PlannedMessage message : incoming.messages) {
            if (message.isRead()) {
                Pattern.fill(shelfOf(message), message.pattern());
            }
        }
        for (int i = 0; i < Traffic.WORDS; i++) {
            words.segment().setAtIndex(ValueLayout.JAVA_LONG, i, incoming.initialWords[i]);
        }
        expected.copyFrom(block);
    }

    /// The sender may reuse the bytes of `message`: so it does.
    void scribbleSource(PlannedMessage message) {
        scribble(localOf(message));
    }

    /// `message`, a READ or atomic, must have brought what it should; its place is then used for
    /// something else.
    void takeBrought(PlannedMessage message) {
        MemorySegment brought = localOf(message);
        if (message.isRead()) {
            assertArrived(brought, message, 0);
        } else {
            assertThat(brought.get(ValueLayout.JAVA_LONG_UNALIGNED, 0))
                    .as("original value of %s", message)
                    .isEqualTo(message.operands().original());
        }
        scribble(brought);
    }

    /// The peer has read what `message` asked for, so it may change.
    void scribbleShelf(PlannedMessage message) {
        scribble(shelfOf(message));
    }

    /// `message`, a READ that did not succeed, may have brought a part; one that goes beyond the
    /// region is refused at the burst that does, so a long one may have brought other bytes before.
    void allowBrought(PlannedMessage message) {
        MemorySegment place = localOf(message);
        if (message.flaw() == Flaw.BEYOND_REGION) {
            expectedOf(place).copyFrom(place);
        } else {
            allow(place, message, 0);
        }
    }

    /// The words must be what they are after `least` messages of `incoming`, or some more of those
    /// up to `most`: each was executed once, and in order.
    void checkWords(Traffic incoming, int least, int most) {
        long[] now = words.segment().toArray(ValueLayout.JAVA_LONG);
        assertThat(IntStream.rangeClosed(least, most))
                .as("executions that lead to %s", Arrays.toString(now))
                .anyMatch(count -> Arrays.equals(incoming.wordsAfter(count), now));
        expectedOf(words.segment()).copyFrom(words.segment());
    }

    /// `message` must have arrived as a whole; its bytes are then used for something else.
    void take(PlannedMessage message, Traffic incoming) {
        if (message.isAnsweredWithData()) {
            return;
        }
        if (message.isWrite()) {
            MemorySegment bytes = targetOf(message);
            assertArrived(bytes, message, 0);
            scribble(bytes);
            return;
        }
        PlannedReceive into = incoming.receives.get(message.receive());
        int position = 0;
        for (int i = 0; i < into.lengths().length && position < message.length(); i++) {
            int length = Math.min(into.lengths()[i], message.length() - position);
            MemorySegment bytes = receive.segment().asSlice(into.offsets()[i], length);
            assertArrived(bytes, message, position);
            scribble(bytes);
            position += length;
        }
    }

    /// `message` may have arrived in part: every byte of its place is the old or the new one.
    void allow(PlannedMessage message, Traffic incoming) {
        if (message.isAnsweredWithData()) {
            return;
        }
        if (message.isWrite()) {
            allow(targetOf(message), message, 0);
            return;
        }
        PlannedReceive into = incoming.receives.get(message.receive());
        int position = 0;
        for (int i = 0; i < into.lengths().length && position < message.length(); i++) {
            int length = Math.min(into.lengths()[i], message.length() - position);
            allow(receive.segment().asSlice(into.offsets()[i], length), message, position);
            position += length;
        }
    }

    /// No byte changed that should not.
    void assertUntouched() {
        long at = block.mismatch(expected);
        assertThat(at).as("first byte that changed and should not").isEqualTo(-1);
    }

    private MemorySegment targetOf(PlannedMessage message) {
        return target.segment().asSlice(message.remoteOffset(), message.length());
    }

    private MemorySegment shelfOf(PlannedMessage message) {
        return shelf.segment().asSlice(message.remoteOffset(), message.length());
    }

    private MemorySegment localOf(PlannedMessage message) {
        RegisteredRegion region = message.isAnsweredWithData() ? sink : source;
        return region.segment().asSlice(message.localOffset(), message.length());
    }

    private void assertArrived(MemorySegment bytes, PlannedMessage message, int position) {
        assertThat(Pattern.mismatch(bytes, message.pattern(), position))
                .as("first wrong byte of %s from %s", message, position)
                .isEqualTo(-1);
    }

    private void allow(MemorySegment bytes, PlannedMessage message, int position) {
        MemorySegment old = expectedOf(bytes);
        for (long i = 0; i < bytes.byteSize(); i++) {
            byte now = bytes.get(ValueLayout.JAVA_BYTE, i);
            if (now != old.get(ValueLayout.JAVA_BYTE, i)) {
                assertThat(now)
                        .as("byte %d of %s", position + i, message)
                        .isEqualTo(Pattern.at(message.pattern(), position + i));
            }
        }
        old.copyFrom(bytes);
    }

    private void scribble(MemorySegment bytes) {
        bytes.fill(SCRIBBLE);
        expectedOf(bytes).fill(SCRIBBLE);
    }

    /// The same bytes in the block of what should be.
    private MemorySegment expectedOf(MemorySegment bytes) {
        return expected.asSlice(bytes.address() - block.address(), bytes.byteSize());
    }
}
