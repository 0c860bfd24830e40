package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.DoorbellRecord;
import dev.outboard.dpa.nic.layout.SendEntry;

/// A queue pair with a completion queue of its own, as the thread that uses it sees it.
final class Endpoint {
    static final int LOG_DEPTH = 2;
    static final int DEPTH = 1 << LOG_DEPTH;
    static final int LOG_COMPLETIONS = 4;

    final QueuePair pair;
    final CompletionQueue completions;
    private final long sendRing;
    private final long receiveRing;
    private final long receiveRecord;
    private final long completionRing;
    private final long completionRecord;
    private int sent;
    private int posted;
    private long taken;

    /// A thread with two of them.
    record Pair(DpaThread thread, Endpoint near, Endpoint far) {}

    /// What a completion says.
    record Taken(int opcode, int syndrome, int counter, int byteCount, int immediate) {}

    Endpoint(NicFixture fixture, ThreadHandle thread, int userIndex) {
        sendRing = fixture.allocate(DEPTH * SendEntry.BYTES);
        receiveRing = fixture.allocate(DEPTH * DataSegment.BYTES);
        receiveRecord = fixture.allocate(8);
        completionRing = fixture.allocate(CompletionEntry.BYTES << LOG_COMPLETIONS);
        completionRecord = fixture.allocate(8);
        completions =
                fixture.nic.completionQueue(
                        CompletionQueue.Attributes.of(
                                completionRing, LOG_COMPLETIONS, completionRecord));
        pair =
                fixture.nic.queuePair(
                        new QueuePair.Send(sendRing, LOG_DEPTH, completions),
                        new QueuePair.Receive(receiveRing, LOG_DEPTH, receiveRecord, completions),
                        new QueuePair.User(thread, userIndex));
    }

    void receive(DpaThread thread, MemoryKey key, long address, int lengthBytes) {
        long entry = receiveRing + (long) (posted % DEPTH) * DataSegment.BYTES;
        DataSegment.write(thread, entry, lengthBytes, key.number(), address);
        thread.memoryFence(Op.W, Op.W);
        posted++;
        DoorbellRecord.setProducerIndex(thread, receiveRecord, posted);
        thread.memoryWriteback();
    }

    /// Where a segment of the next send entry goes.
    long segment(int number) {
        int at = (sent * 4 + number) % (4 * DEPTH);
        return sendRing + (long) at * SendEntry.SEGMENT_BYTES;
    }

    /// Writes the control segment of a send entry.
    void control(DpaThread thread, int opcode, int segments) {
        int always = SendEntry.COMPLETE_ALWAYS;
        SendEntry.writeControl(thread, segment(0), sent, opcode, pair.number(), segments, always);
    }

    /// Tells the NIC of a send entry.
    void ring(DpaThread thread, int blocks) {
        sent += blocks;
        thread.memoryWriteback();
        thread.store64(
                AddressMap.OUTBOX + AddressMap.SEND_DOORBELL, Doorbell.send(pair.number(), sent));
    }

    /// A send of one piece of memory.
    void send(DpaThread thread, MemoryKey key, long address, int lengthBytes) {
        control(thread, SendEntry.SEND, 2);
        DataSegment.write(thread, segment(1), lengthBytes, key.number(), address);
        ring(thread, 1);
    }

    /// A write, a read or the like, of one piece of memory.
    void remote(
            DpaThread thread,
            int opcode,
            MemoryKey key,
            long from,
            int lengthBytes,
            long to,
            MemoryKey remoteKey) {
        control(thread, opcode, 3);
        SendEntry.writeImmediate(thread, segment(0), 0x1A2B3C4D);
        SendEntry.writeRemote(thread, segment(1), to, remoteKey.number());
        DataSegment.write(thread, segment(2), lengthBytes, key.number(), from);
        ring(thread, 1);
    }

    /// Does nothing, and waits for that.
    Taken nothing(DpaThread thread) {
        control(thread, SendEntry.NOP, 1);
        ring(thread, 1);
        return take(thread);
    }

    private long completion() {
        return completionRing + (taken & ((1 << LOG_COMPLETIONS) - 1)) * CompletionEntry.BYTES;
    }

    /// Whether there is a completion.
    boolean isReady(DpaThread thread) {
        return CompletionEntry.isReady(thread, completion(), taken, LOG_COMPLETIONS);
    }

    /// Waits for the next completion.
    Taken take(DpaThread thread) {
        long entry = completion();
        while (!isReady(thread)) {
            // Not yet.
        }
        if (CompletionEntry.queueNumber(thread, entry) != pair.number()) {
            throw new AssertionError("The completion is of another queue pair");
        }
        Taken found =
                new Taken(
                        CompletionEntry.opcode(thread, entry),
                        CompletionEntry.syndrome(thread, entry),
                        CompletionEntry.workCounter(thread, entry),
                        CompletionEntry.byteCount(thread, entry),
                        CompletionEntry.immediate(thread, entry));
        taken++;
        DoorbellRecord.setConsumerIndex(thread, completionRecord, (int) taken);
        thread.memoryWriteback();
        return found;
    }

    /// How many completions were taken.
    long taken() {
        return taken;
    }
}
