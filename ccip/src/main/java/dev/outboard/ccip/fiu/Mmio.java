package dev.outboard.ccip.fiu;

import dev.outboard.ccip.checker.Checker;
import dev.outboard.ccip.checker.Violation;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C2Tx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.MmioLength;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// The way of MMIO between host and AFU: accesses of the host in the order of the link to Rx C0,
/// responses on Tx C2 back to the host (CCI-P manual 1.3.5, 1.3.13.2).
///
/// It belongs to the FIU of a port; host calls come under the lock of the simulation. Accesses to
/// the uncacheable mapping reach the AFU in the order of the calls. Those to the write-combining
/// mapping are delayed, joined and reordered until an uncacheable access or a store fence.
///
/// CCIP-MMIO-1, CCIP-DSC-4: the one way to the registers, also of discovery.
public final class Mmio {
    /// Clocks between two MMIO requests, at least, where order is not left to chance. Hardware
    /// takes them from a PCIe link and never sends two in a row, and there are AFUs that rely on
    /// it.
    static final int CLOCKS_BETWEEN = 15;

    private static final int TIDS = 512;
    private static final int NEIGHBOURS = Line.BYTES / Long.BYTES;

    private final SplittableRandom random;
    private final int timeout;
    private final boolean shuffles;
    private final Checker checker;
    private final ArrayDeque<MmioRequest> link = new ArrayDeque<>();
    private final WriteCombining combining;
    private final List<MmioRequest> weakReads = new ArrayList<>();

    /// The reads that the AFU has to answer, by `tid`.
    private final @Nullable MmioRequest[] open = new MmioRequest[TIDS];

    /// The `tid`s of reads that were not answered in time: an answer may come yet.
    private final boolean[] stale = new boolean[TIDS];

    private int outstanding;
    private int tid;
    private long earliestDeadline;
    private boolean spuriousReads;

    /// The first cycle in which the next request may be sent.
    private long earliestNext;

    /// Requests that come while the AFU is in reset wait for its end.
    private boolean inReset = true;

    private long cycle;

    /// The MMIO of one port.
    ///
    /// @param shuffles whether order and `tid`s are left to chance wherever they may be, and
    ///   reserved bits carry garbage
    public Mmio(Profile profile, long seed, boolean shuffles, Checker checker) {
        this.random = new SplittableRandom(seed);
        this.timeout = profile.mmioTimeout();
        this.shuffles = shuffles;
        this.checker = checker;
        combining = new WriteCombining(random, shuffles, this::send);
        tid = random.nextInt(TIDS);
    }

    // The host's side.

    /// Reads 4 or 8 bytes of the uncacheable mapping.
    ///
    /// CCIP-MMIO-24: the uncacheable mapping keeps the order of the program.
    public MmioRequest read(int address, MmioLength length) {
        storeFence();
        MmioRequest read = new MmioRequest(true, address, length);
        addSpuriousRead(address);
        send(read);
        addSpuriousRead(address);
        return read;
    }

    /// Writes 4, 8 or 64 bytes of the uncacheable mapping, the value in the low lanes of `data`.
    public MmioRequest write(int address, MmioLength length, long... data) {
        storeFence();
        MmioRequest write = new MmioRequest(false, address, length);
        System.arraycopy(data, 0, write.data, 0, lanes(length));
        send(write);
        return write;
    }

    /// Reads 4 or 8 bytes of the write-combining mapping.
    ///
    /// CCIP-MMIO-25: reads of the write-combining mapping pass each other.
    public MmioRequest readCombining(int address, MmioLength length) {
        combining.drain(address);
        MmioRequest read = new MmioRequest(true, address, length);
        weakReads.add(read);
        addSpuriousRead(address);
        return read;
    }

    /// Writes 4, 8 or 64 bytes of the write-combining mapping.
    public void writeCombining(int address, MmioLength length, long... data) {
        sendWeakReads();
        combining.store(cycle, address, length, data);
    }

    /// Sends whatever the write-combining mapping held back, before any later access.
    ///
    /// CCIP-MMIO-27: what was held back leaves before any later access.
    public void storeFence() {
        sendWeakReads();
        combining.drain();
    }

    /// Whether the processor reads more than the program asked for, as it may from a prefetchable
    /// BAR.
    public void spuriousReads(boolean on) {
        spuriousReads = on;
    }

    /// Accesses that have not reached the AFU.
    public int queued() {
        return link.size();
    }

    /// Reads that the AFU has to answer.
    public int outstanding() {
        return outstanding;
    }

    /// Whether nothing is under way.
    public boolean isIdle() {
        return link.isEmpty()
                && outstanding == 0
                && weakReads.isEmpty()
                && combining.nextCycle() == Long.MAX_VALUE;
    }

    // The port's side.

    /// Whether there is something to drive in this cycle.
    public boolean pending() {
        return cycle >= earliestNext && isReady();
    }

    /// The 65th read waits, and all behind it (CCI-P manual 1.3.5).
    ///
    /// CCIP-PLT-22: 64 reads wait for the AFU, no more.
    private boolean isReady() {
        MmioRequest first = link.peek();
        return first != null && !inReset && !(first.isRead && outstanding == Profile.MMIO_READS);
    }

    /// Sends the first request to the AFU.
    ///
    /// CCIP-MMIO-29: in TIMED mode MMIO requests keep their distance.
    ///
    /// CCIP-MMIO-4, CCIP-MMIO-6: a write carries its data and is not answered.
    public void drive(C0Rx c0) {
        MmioRequest request = link.remove();
        request.sent(cycle);
        earliestNext = shuffles ? cycle : cycle + 1 + CLOCKS_BETWEEN;
        int register = request.address / Integer.BYTES;
        if (request.isRead) {
            c0.mmioRead(register, request.length, open(request));
        } else {
            c0.mmioWrite(register, request.length, random.nextInt(TIDS));
            driveData(request, c0.data);
        }
        if (shuffles && random.nextBoolean()) {
            c0.hdr |= 1 << 9;
        }
    }

    /// An MMIO read response of the AFU.
    ///
    /// CCIP-MMIO-21, CCIP-FLW-8: answers are taken in the order in which the AFU sends them.
    public void response(C2Tx c2) {
        MmioRequest read = open[c2.tid];
        stale[c2.tid] = false;
        if (read != null) {
            close(c2.tid);
            read.answered(c2.data);
        }
    }

    /// A cycle passes: requests of the write-combining mapping become due, and reads late.
    public void clock(long cycle, boolean reset) {
        this.cycle = cycle;
        inReset = reset;
        if (!weakReads.isEmpty()) {
            send(weakReads.remove(anyWeakRead()));
        }
        combining.clock(cycle);
        if (outstanding > 0 && cycle > earliestDeadline) {
            expire();
        }
    }

    /// The first cycle after the present one in which [#clock] has something to do.
    public long nextCycle() {
        if (!weakReads.isEmpty()) {
            return cycle + 1;
        }
        long next = combining.nextCycle();
        if (isReady()) {
            next = Math.min(next, Math.max(cycle + 1, earliestNext));
        }
        return outstanding > 0 ? Math.min(next, earliestDeadline + 1) : next;
    }

    /// A reset begins: what the host waits for returns all ones, what it wrote is lost. What the
    /// host asks for from now on comes directly after the reset.
    public void reset() {
        inReset = true;
        storeFence();
        checker.mmioDropped(link.size());
        while (!link.isEmpty()) {
            caughtByReset(link.remove());
        }
        for (int i = 0; i < TIDS; i++) {
            MmioRequest read = open[i];
            if (read != null) {
                close(i);
                caughtByReset(read);
            }
        }
        Arrays.fill(stale, false);
    }

    private void caughtByReset(MmioRequest request) {
        request.failed(MmioRequest.State.RESET);
        if (request.isRead) {
            checker.report(
                    Violation.HOST_MMIO_DURING_RESET,
                    cycle,
                    "the " + request + " returned all ones");
        }
    }

    private int open(MmioRequest read) {
        int next = tid + 1 + (shuffles ? random.nextInt(TIDS - 1) : 0);
        for (int i = 0; i < TIDS && !isFree(next); i++) {
            next++;
        }
        if (!isFree(next)) {
            Arrays.fill(stale, false);
            return open(read);
        }
        tid = next & TIDS - 1;
        open[tid] = read;
        if (outstanding == 0) {
            earliestDeadline = deadline(read);
        }
        outstanding++;
        return tid;
    }

    private boolean isFree(int tid) {
        return open[tid & TIDS - 1] == null && !stale[tid & TIDS - 1];
    }

    private void close(int tid) {
        open[tid] = null;
        outstanding--;
    }

    private long deadline(MmioRequest read) {
        return read.sentCycle() + 1 + timeout;
    }

    /// CCIP-MMIO-15: a read that is late returns all ones, and its answer is dropped.
    private void expire() {
        earliestDeadline = Long.MAX_VALUE;
        for (int i = 0; i < TIDS; i++) {
            MmioRequest read = open[i];
            if (read != null && cycle > deadline(read)) {
                close(i);
                stale[i] = true;
                read.failed(MmioRequest.State.TIMED_OUT);
            } else if (read != null) {
                earliestDeadline = Math.min(earliestDeadline, deadline(read));
            }
        }
    }

    /// CCIP-MMIO-5, CCIP-MMIO-28: low lanes whatever the address; 64 bytes are one request.
    private void driveData(MmioRequest write, long[] to) {
        int lanes = lanes(write.length);
        System.arraycopy(write.data, 0, to, 0, lanes);
        if (write.length == MmioLength.BYTES_4) {
            to[0] = (write.data[0] & 0xFFFF_FFFFL) | random.nextLong() << Integer.SIZE;
        }
        for (int i = lanes; i < Line.LONGS; i++) {
            to[i] = random.nextLong();
        }
    }

    private static int lanes(MmioLength length) {
        return length == MmioLength.BYTES_64 ? Line.LONGS : 1;
    }

    private void send(MmioRequest request) {
        link.add(request);
        checker.mmioArrived(request.isRead, request.address / Integer.BYTES, request.length);
    }

    private void addSpuriousRead(int address) {
        if (spuriousReads && random.nextBoolean()) {
            int line = address & -Line.BYTES;
            int neighbour = line + random.nextInt(NEIGHBOURS) * Long.BYTES;
            send(new MmioRequest(true, neighbour, MmioLength.BYTES_8));
        }
    }

    private void sendWeakReads() {
        while (!weakReads.isEmpty()) {
            send(weakReads.remove(anyWeakRead()));
        }
    }

    private int anyWeakRead() {
        return shuffles ? random.nextInt(weakReads.size()) : 0;
    }
}
