package dev.outboard.dpa.example;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Observer.WordRole;
import dev.outboard.dpa.machine.Rights;
import dev.outboard.dpa.process.DpaProcess;

/// Where everything lies, and what it is for. Each slot is a line of 64 bytes; most begin with a
/// word that tells by its number that the rest is there.
final class StoreLayout {
    static final int LINE = 64;
    static final int SHARDS = 2;

    /// Entries of the rings that wrap around.
    static final int RING = 8;

    /// Receive entries that are posted at the start; each has a buffer.
    static final int POSTED = 2;

    /// Slots of rings in host memory.
    static final int HOST_RING = 4;

    /// Slots of mailboxes between threads, which do not wrap around.
    static final int MAILBOX = 64;

    static final int RECEIVE_COMPLETIONS = 1;
    static final int RECEIVE_QUEUE = 2;
    static final int SEND_QUEUE = 3;
    static final int INTERRUPT = 4;

    static final long PUT = 1;
    static final long GET = 2;
    static final long STOP = 3;

    /// Set in the owner word of a completion that tells of a failure.
    static final long FAILED = 1L << 32;

    static final long SEND_DOORBELL = AddressMap.OUTBOX + AddressMap.SEND_DOORBELL;
    static final long ARM_DOORBELL = AddressMap.OUTBOX + AddressMap.ARM_DOORBELL;
    static final long MSIX_DOORBELL = AddressMap.OUTBOX + AddressMap.MSIX_DOORBELL;

    final int key;
    final int outbox;

    // Host memory.
    final long config;
    final long netRequests;
    final long netResponses;
    final long localRequests;
    final long localResponses;
    final long summary;
    final long log;
    final long logIndex;
    final long snapshot;
    final long statsFlag;
    final long localDone;

    // DPA memory.
    final long receiveCompletions;
    final long receiveIndex;
    final long receiveEntries;
    final long receiveRecord;
    final long buffers;
    final long sendEntries;
    final long sendCompletions;
    final long sendIndex;
    final long frontState;
    final long[] inbox = new long[SHARDS];
    final long[] localInbox = new long[SHARDS];
    final long[] localAnswers = new long[SHARDS];
    final long[] outboxes = new long[SHARDS];
    final long[] done = new long[SHARDS];
    final long[] logbox = new long[SHARDS];
    final long[] responses = new long[SHARDS];
    final long[] tables = new long[SHARDS];
    final long lock;
    final long counters;
    final long snapshotFlag;
    final long snapshotAnswer;
    final long stats;
    final long stop;

    private final DpaProcess process;
    private final Observer observer;
    private long nextExternal;

    StoreLayout(DpaProcess process) {
        this.process = process;
        observer = process.observer();
        outbox = process.createOutbox();
        ExternalRegion host = process.external().add("host", ExternalKind.HOST, 32 << 10);
        key = process.external().register(host, Rights.READ_WRITE).number();
        nextExternal = host.address();
        config = external("config", 1);
        netRequests = signs(external("netRequests", HOST_RING), HOST_RING);
        netResponses = signs(external("netResponses", HOST_RING), HOST_RING);
        localRequests = signs(external("localRequests", HOST_RING), HOST_RING);
        localResponses = signs(external("localResponses", HOST_RING), HOST_RING);
        summary = external("summary", 1);
        log = external("log", MAILBOX);
        logIndex = signs(external("logIndex", 1), 1);
        snapshot = external("snapshot", 1);
        statsFlag = signs(external("statsFlag", 1), 1);
        localDone = external("localDone", 1);
        receiveCompletions = memory("receiveCompletions", RING);
        receiveIndex = memory("receiveIndex", 1);
        receiveEntries = memory("receiveEntries", RING);
        receiveRecord = memory("receiveRecord", 1);
        buffers = memory("buffers", POSTED);
        sendEntries = memory("sendEntries", RING);
        sendCompletions = memory("sendCompletions", RING);
        sendIndex = memory("sendIndex", 1);
        frontState = memory("frontState", 1);
        for (int shard = 0; shard < SHARDS; shard++) {
            inbox[shard] = signs(memory("inbox" + shard, MAILBOX), MAILBOX);
            localInbox[shard] = signs(memory("localInbox" + shard, MAILBOX), MAILBOX);
            localAnswers[shard] = signs(memory("localAnswers" + shard, MAILBOX), MAILBOX);
            outboxes[shard] = signs(memory("outbox" + shard, MAILBOX), MAILBOX);
            done[shard] = signs(memory("done" + shard, MAILBOX), MAILBOX);
            logbox[shard] = signs(memory("logbox" + shard, MAILBOX), MAILBOX);
            responses[shard] = memory("responses" + shard, MAILBOX);
            tables[shard] = memory("table" + shard, MAILBOX);
        }
        lock = memory("lock", 1);
        counters = memory("counters", 1);
        snapshotFlag = signs(memory("snapshotFlag", 1), 1);
        snapshotAnswer = signs(memory("snapshotAnswer", 1), 1);
        stats = memory("stats", 1);
        stop = signs(memory("stop", 1), 1);
        queues();
    }

    private long external(String name, int lines) {
        long address = nextExternal;
        nextExternal += (long) lines * LINE;
        observer.name(address, (long) lines * LINE, name);
        return address;
    }

    private long memory(String name, int lines) {
        long bytes = (long) lines * LINE;
        long address = process.heap().allocate(bytes);
        process.write(address, new byte[(int) bytes]);
        observer.name(address, bytes, name);
        return address;
    }

    /// The first word of each line tells that the rest of it is there.
    private long signs(long address, int lines) {
        for (int line = 0; line < lines; line++) {
            observer.role(address + (long) line * LINE, Long.BYTES, WordRole.FLAG, -1);
        }
        return address;
    }

    private void queues() {
        for (int i = 0; i < POSTED; i++) {
            process.write64(slot(receiveEntries, i), slot(buffers, i));
        }
        for (int i = 0; i < RING; i++) {
            observer.role(
                    slot(receiveCompletions, i),
                    Long.BYTES,
                    WordRole.COMPLETION,
                    RECEIVE_COMPLETIONS);
            observer.role(slot(sendCompletions, i), 8, WordRole.COMPLETION, SEND_QUEUE);
            observer.role(slot(sendCompletions, i) + 8, 8, WordRole.SYNDROME, SEND_QUEUE);
        }
        process.write64(receiveRecord, POSTED);
        observer.role(receiveEntries, RING * LINE, WordRole.ENTRY, RECEIVE_QUEUE);
        observer.role(receiveRecord, Long.BYTES, WordRole.RECORD, RECEIVE_QUEUE);
        observer.role(receiveIndex, Long.BYTES, WordRole.INDEX, RECEIVE_COMPLETIONS);
        observer.role(buffers, POSTED * LINE, WordRole.BUFFER, RECEIVE_QUEUE);
        observer.role(sendEntries, RING * LINE, WordRole.ENTRY, SEND_QUEUE);
        observer.role(sendIndex, Long.BYTES, WordRole.INDEX, SEND_QUEUE);
        observer.doorbellOf(
                RECEIVE_COMPLETIONS, Doorbell.source(AddressMap.ARM_DOORBELL, RECEIVE_COMPLETIONS));
        observer.doorbellOf(SEND_QUEUE, Doorbell.source(AddressMap.SEND_DOORBELL, SEND_QUEUE));
    }

    /// A slot of a ring.
    static long slot(long ring, long index) {
        return ring + index % RING * LINE;
    }

    /// A slot of a ring in host memory.
    static long hostSlot(long ring, long index) {
        return ring + index % HOST_RING * LINE;
    }

    /// A slot of a mailbox.
    static long mail(long mailbox, long index) {
        return mailbox + index * LINE;
    }

    static int shard(long entryKey) {
        return (int) (entryKey % SHARDS);
    }
}
