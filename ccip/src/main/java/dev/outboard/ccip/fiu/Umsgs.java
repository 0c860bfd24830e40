package dev.outboard.ccip.fiu;

import dev.outboard.ccip.checker.CacheLookup;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// The agent in the FPGA cache that watches the eight lines of the UMsg address space (UMAS), and
/// sends a line to the AFU when the processor has written it (CCI-P manual 1.3.4).
///
/// It keeps a copy of each line: a line that differs from its copy was written. Values in between
/// may be missed; the last one is always sent. The lines are held in the cache as Shared, where
/// they may evict others. It belongs to the FIU of a port; host calls come under the lock of the
/// simulation.
public final class Umsgs {
    /// Lines of the UMsg address space.
    ///
    /// CCIP-UMSG-6: eight messages, a line each.
    public static final int COUNT = 8;

    /// CCIP-UMSG-14: cycles from the write to the hint, and from there to the data.
    static final int HINT_EARLIEST = 39;

    static final int HINT_SPREAD = 3;
    static final int DATA_EARLIEST = 41;
    static final int DATA_SPREAD = 5;
    private static final long NEVER = Long.MAX_VALUE;

    private final SplittableRandom random;
    private final boolean shuffles;
    private final long[] copy = new long[COUNT * Line.LONGS];
    private final long[] now = new long[Line.LONGS];
    private final long[] hintAt = new long[COUNT];
    private final long[] dataAt = new long[COUNT];
    private final PendingRequest request = new PendingRequest();
    private @Nullable FpgaCache cache;
    private @Nullable Mapping umas;
    private long firstLine;
    private int hinted;
    private int written;
    private int next;
    private long cycle;

    /// An agent without a UMAS.
    ///
    /// @param shuffles whether lines overtake each other by chance, and hints come that are false
    public Umsgs(long seed, boolean shuffles) {
        random = new SplittableRandom(seed);
        this.shuffles = shuffles;
        cancel();
    }

    /// Reads its lines through this cache.
    ///
    /// CCIP-UMSG-10: a message is read through the FPGA cache, and may evict.
    void readThrough(@Nullable FpgaCache cache) {
        this.cache = cache;
    }

    /// Watches the eight lines of `memory` from `lineAddress` on, beginning with what they hold.
    ///
    /// CCIP-UMSG-2: the address space of the messages is memory that the host gives.
    public void setUp(Mapping memory, long lineAddress) {
        umas = memory;
        firstLine = lineAddress;
        cancel();
        for (int id = 0; id < COUNT; id++) {
            read(memory, id);
        }
    }

    /// Watches nothing.
    public void tearDown() {
        umas = null;
        cancel();
    }

    /// Sends hints for the ids whose bit is set, before their UMsgs.
    public void hints(int mask) {
        hinted = mask;
    }

    /// The host has written a line, even if it holds what it held before.
    public void written(int id) {
        written |= 1 << id;
    }

    /// Sends a hint that no UMsg follows.
    ///
    /// CCIP-UMSG-9: a hint that nothing follows.
    public void falseHint(int id) {
        hintAt[id] = Math.min(hintAt[id], cycle + 1);
    }

    /// Whether a UMsg or a hint is to be sent in this cycle.
    public boolean pending() {
        for (int id = 0; id < COUNT; id++) {
            if (isDue(id)) {
                return true;
            }
        }
        return false;
    }

    /// Sends one of those that are to be sent.
    ///
    /// CCIP-UMSG-4, CCIP-UMSG-5: a hint carries no data, a message the line.
    ///
    /// CCIP-UMSG-7: lines go in any order.
    public void drive(C0Rx c0) {
        int id = shuffles ? random.nextInt(COUNT) : next;
        while (!isDue(id)) {
            id = (id + 1) % COUNT;
        }
        next = (id + 1) % COUNT;
        if (hintAt[id] <= cycle) {
            hintAt[id] = NEVER;
            c0.umsg(true, id);
            for (int i = 0; i < Line.LONGS; i++) {
                c0.data[i] = random.nextLong();
            }
            return;
        }
        dataAt[id] = NEVER;
        c0.umsg(false, id);
        System.arraycopy(copy, id * Line.LONGS, c0.data, 0, Line.LONGS);
    }

    /// A cycle passes: looks for lines that were written.
    public void clock(long cycle) {
        this.cycle = cycle;
        Mapping memory = umas;
        if (memory == null) {
            return;
        }
        if (!memory.isLive()) {
            tearDown();
            return;
        }
        for (int id = 0; id < COUNT; id++) {
            if (dataAt[id] == NEVER && isWritten(memory, id)) {
                snooped(id);
            } else if (dataAt[id] == cycle) {
                read(memory, id);
            }
        }
    }

    /// The first cycle after the present one in which [#clock] has something to do unless the host
    /// writes.
    public long nextCycle() {
        long first = NEVER;
        Mapping memory = umas;
        for (int id = 0; id < COUNT; id++) {
            first = Math.min(first, Math.min(hintAt[id], dataAt[id]));
            if (memory != null && dataAt[id] == NEVER && isWritten(memory, id)) {
                first = 0;
            }
        }
        return first == NEVER ? NEVER : Math.max(first, cycle + 1);
    }

    /// A reset begins: what was not sent is not sent.
    public void reset() {
        Mapping memory = umas;
        if (memory != null && memory.isLive()) {
            setUp(memory, firstLine);
        }
    }

    private void cancel() {
        Arrays.fill(hintAt, NEVER);
        Arrays.fill(dataAt, NEVER);
        written = 0;
    }

    private void read(Mapping memory, int id) {
        request.begin(
                PendingRequest.READ,
                ReadType.RDLINE_S.code(),
                VirtualChannel.VL0.code(),
                CacheLookup.NONE,
                0,
                1,
                1);
        request.address = firstLine + id;
        request.mapping = memory;
        if (cache != null) {
            cache.lookup(request, 0);
        }
        memory.read(request.address, request.data, 0);
        if (cache != null) {
            cache.drained(request, 0);
        }
        System.arraycopy(request.data, 0, copy, id * Line.LONGS, Line.LONGS);
    }

    /// The processor takes the line to write it.
    ///
    /// CCIP-UMSG-3: the processor's write is what makes a message.
    private void snoop(int id) {
        if (cache != null) {
            cache.snoop(firstLine + id, false);
        }
    }

    /// CCIP-UMSG-8: what changed in between is missed, the last value is not.
    private boolean isWritten(Mapping memory, int id) {
        if ((written & 1 << id) != 0) {
            return true;
        }
        if (!memory.isLive()) {
            return false;
        }
        memory.read(firstLine + id, now, 0);
        int at = id * Line.LONGS;
        return !Arrays.equals(now, 0, Line.LONGS, copy, at, at + Line.LONGS);
    }

    private void snooped(int id) {
        written &= ~(1 << id);
        snoop(id);
        long hint = cycle + HINT_EARLIEST + random.nextInt(HINT_SPREAD);
        dataAt[id] = hint + DATA_EARLIEST + random.nextInt(DATA_SPREAD);
        if ((hinted & 1 << id) != 0) {
            hintAt[id] = hint;
        }
        int other = random.nextInt(COUNT);
        if (shuffles
                && (hinted & 1 << other) != 0
                && hintAt[other] == NEVER
                && random.nextBoolean()) {
            hintAt[other] = hint + random.nextInt(DATA_EARLIEST);
        }
    }

    private boolean isDue(int id) {
        return hintAt[id] <= cycle || dataAt[id] <= cycle;
    }
}
