package dev.outboard.ccip.trace;

import dev.outboard.ccip.checker.Answers;
import dev.outboard.ccip.checker.C1Framing;
import dev.outboard.ccip.checker.CacheLookup;
import dev.outboard.ccip.checker.CacheTransition.Request;
import dev.outboard.ccip.checker.Channel;
import dev.outboard.ccip.checker.Monitor;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.PowerState;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;
import java.util.Locale;

/// What a run moved over a port and how fast: bandwidth, latencies, what was under way, how busy
/// each channel was, what the FPGA cache was good for, and how much the AFU asked for in each power
/// state (CCI-P manual 1.3.11).
///
/// It must be there from cycle 0, and is called by the thread that clocks the port. Nothing is
/// allocated per cycle.
///
/// ```java
/// Statistics statistics = new Statistics(profile);
/// simulation.monitor(statistics);
/// simulation.step(100_000);
/// statistics.finish(simulation.cycle());
/// System.out.print(statistics);
/// ```
public final class Statistics implements Monitor {
    private static final int TIDS = 512;
    private static final int MOST_LINES = 4;
    private static final long NOT_ASKED = -1;
    private static final int CHANNELS = VirtualChannel.values().length;
    private static final int REQUESTS = Request.values().length;

    private final Profile profile;
    private final Outstanding reads = new Outstanding();
    private final Outstanding writes = new Outstanding();
    private final CycleHistogram mmio = new CycleHistogram();
    private final C1Framing framing = new C1Framing();
    private final long[] mmioSince = new long[TIDS];
    private final long[] beats = new long[Channel.values().length];
    private final long[] readLines = new long[CHANNELS];
    private final long[] writeLines = new long[CHANNELS];
    private final long[] powerCycles = new long[PowerState.values().length];
    private final long[] powerRequests = new long[powerCycles.length];
    private final long[] hits = new long[REQUESTS];
    private final long[] misses = new long[REQUESTS];
    private final long[] evictions = new long[REQUESTS];
    private final long[] readLengths = new long[MOST_LINES + 1];
    private final long[] writeLengths = new long[readLengths.length];
    private PowerState power = PowerState.AP0;
    private long c0Requests;
    private long c0AlmostFull;
    private long c1AlmostFull;
    private long cycles;

    /// Counts from 0, for a port of this platform.
    public Statistics(Profile profile) {
        this.profile = profile;
        Arrays.fill(mmioSince, NOT_ASKED);
    }

    @Override
    public void clock(long cycle, Tx tx, Rx rx, Answers answers) {
        power = rx.powerState;
        pass(cycle + 1);
        if (rx.softReset) {
            framing.reset();
            reads.reset();
            writes.reset();
        }
        // In reset the almost-full wires mean nothing.
        c0AlmostFull += rx.c0TxAlmFull && !rx.softReset ? 1 : 0;
        c1AlmostFull += rx.c1TxAlmFull && !rx.softReset ? 1 : 0;
        requests(cycle, tx);
        responses(cycle, rx, answers);
    }

    @Override
    public void lookup(long cycle, CacheLookup lookup) {
        int request = lookup.transition.request().ordinal();
        (lookup.transition.hit() ? hits : misses)[request]++;
        evictions[request] += lookup.transition.evicts() ? 1 : 0;
    }

    /// The run ends before this cycle.
    public void finish(long cycle) {
        pass(Math.max(cycle, cycles));
    }

    /// Cycles in which nothing happened pass too.
    private void pass(long until) {
        long passed = until - cycles;
        reads.pass(passed);
        writes.pass(passed);
        powerCycles[power.ordinal()] += passed;
        cycles = until;
    }

    private void requests(long cycle, Tx tx) {
        if (tx.c0.valid) {
            count(Channel.TX_C0);
            powerRequests[power.ordinal()] += tx.c0.lengthCode() + 1;
            readLengths[tx.c0.lengthCode() + 1]++;
            reads.request(c0Requests++, cycle, tx.c0.lengthCode() + 1);
        }
        if (tx.c1.valid) {
            count(Channel.TX_C1);
            powerRequests[power.ordinal()]++;
            if (framing.accept(tx.c1)) {
                int lines = isWrite(tx.c1) ? lines(tx.c1) : 0;
                writeLengths[lines]++;
                writes.request(framing.requests() - 1, cycle, lines);
            }
        }
        if (tx.c2.mmioRdValid) {
            count(Channel.TX_C2);
            mmioAnswer(cycle, tx.c2.tid);
        }
    }

    /// An answer to nothing, which is a violation, has taken no time.
    private void mmioAnswer(long cycle, int tid) {
        if (mmioSince[tid] != NOT_ASKED) {
            mmio.add(cycle - mmioSince[tid]);
            mmioSince[tid] = NOT_ASKED;
        }
    }

    private static boolean isWrite(C1Tx c1) {
        return c1.requestType() != WriteType.WRFENCE.code()
                && c1.requestType() != WriteType.INTR.code();
    }

    private static int lines(C1Tx c1) {
        return c1.lengthCode() + 1;
    }

    private void responses(long cycle, Rx rx, Answers answers) {
        if (rx.c0.mmioRdValid || rx.c0.mmioWrValid || rx.c0.rspValid) {
            count(Channel.RX_C0);
        }
        if (rx.c0.mmioRdValid) {
            mmioSince[rx.c0.tid()] = cycle;
        } else if (rx.c0.isReadResponse() && !rx.c0.mmioWrValid) {
            readLines[rx.c0.channelUsed()]++;
            reads.answer(answers.c0Request, cycle, 1);
        }
        if (rx.c1.rspValid) {
            count(Channel.RX_C1);
            int lines = linesOf(rx.c1);
            if (rx.c1.responseType() == C1Response.WRLINE.code()) {
                writeLines[rx.c1.channelUsed()] += lines;
            }
            writes.answer(answers.c1Request, cycle, lines);
        }
    }

    private static int linesOf(C1Rx c1) {
        if (!c1.isWriteResponse()) {
            return 0;
        }
        return c1.packed() ? c1.lineNumber() + 1 : 1;
    }

    private void count(Channel channel) {
        beats[channel.ordinal()]++;
    }

    /// How many cycles the run took so far, or to where it was [finished][#finish].
    public long cycles() {
        return cycles;
    }

    /// In how many cycles this channel of the port carried something.
    public long beats(Channel channel) {
        return beats[channel.ordinal()];
    }

    /// Lines that came back on a virtual channel.
    public long linesRead(VirtualChannel channel) {
        return readLines[channel.code()];
    }

    /// Lines whose write was answered on a virtual channel.
    public long linesWritten(VirtualChannel channel) {
        return writeLines[channel.code()];
    }

    /// Bytes that reads brought, per second of the platform's pClk.
    public double readBytesPerSecond() {
        return bytesPerSecond(reads.answered());
    }

    /// Bytes whose write was answered, per second of the platform's pClk.
    public double writeBytesPerSecond() {
        return bytesPerSecond(writes.answered());
    }

    private double bytesPerSecond(long lines) {
        return cycles == 0
                ? 0
                : (double) lines * Line.BYTES * profile.pClkMegahertz() * 1e6 / cycles;
    }

    /// Cycles from a read request to each of its lines.
    public CycleHistogram readLatency() {
        return reads.latency();
    }

    /// Cycles from the first beat of a write, a fence or an interrupt to each response.
    public CycleHistogram writeLatency() {
        return writes.latency();
    }

    /// Cycles that the AFU took to answer MMIO reads.
    public CycleHistogram mmioLatency() {
        return mmio;
    }

    /// Lines that reads were waiting for, on average over all cycles.
    public double readOccupancy() {
        return reads.meanLines(cycles);
    }

    /// Lines whose write was not yet answered, on average over all cycles.
    public double writeOccupancy() {
        return writes.meanLines(cycles);
    }

    /// Lines that the FPGA cache held when such a request looked for them.
    public long cacheHits(Request request) {
        return hits[request.ordinal()];
    }

    /// Lines that the FPGA cache did not hold when such a request looked for them.
    public long cacheMisses(Request request) {
        return misses[request.ordinal()];
    }

    /// Lines that had to leave the FPGA cache for one of such a request.
    public long cacheEvictions(Request request) {
        return evictions[request.ordinal()];
    }

    /// Cycles in a power state.
    public long cycles(PowerState state) {
        return powerCycles[state.ordinal()];
    }

    /// Lines that the AFU asked to read or to write per cycle in a power state.
    public double requestRate(PowerState state) {
        long in = cycles(state);
        return in == 0 ? 0 : (double) powerRequests[state.ordinal()] / in;
    }

    /// A report of some lines.
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(1000);
        double microseconds = (double) cycles / profile.pClkMegahertz();
        int megahertz = profile.pClkMegahertz();
        text.append(
                String.format(
                        Locale.ROOT,
                        "%d cycles, %.1f us at %d MHz\n",
                        cycles,
                        microseconds,
                        megahertz));
        traffic(text, "reads", reads, readBytesPerSecond(), readLines);
        lengths(text, "reads", readLengths);
        traffic(text, "writes", writes, writeBytesPerSecond(), writeLines);
        lengths(text, "writes", writeLengths);
        latency(text, "MMIO reads", mmio);
        busy(text);
        cache(text);
        if (cycles(PowerState.AP0) != cycles) {
            power(text);
        }
        return text.toString();
    }

    private void traffic(
            StringBuilder text, String what, Outstanding lines, double rate, long[] byChannel) {
        if (lines.latency().count() == 0) {
            return;
        }
        StringBuilder channels = new StringBuilder();
        for (VirtualChannel channel : VirtualChannel.values()) {
            if (byChannel[channel.code()] != 0) {
                channels.append(", ").append(channel).append(' ').append(byChannel[channel.code()]);
            }
        }
        text.append(
                String.format(
                        Locale.ROOT,
                        "%-10s %d lines%s, %.2f GB/s, under way %.1f on average and %d at most\n",
                        what,
                        lines.answered(),
                        channels,
                        rate / 1e9,
                        lines.meanLines(cycles),
                        lines.mostLines()));
        latency(text, "", lines.latency());
    }

    /// How many requests there were of each length; fences and interrupts have none.
    private static void lengths(StringBuilder text, String what, long[] requests) {
        String before = String.format(Locale.ROOT, "%-10s ", what);
        for (int lines = 1; lines < requests.length; lines++) {
            if (requests[lines] != 0) {
                text.append(before).append(requests[lines]).append(" of ").append(lines);
                text.append(lines == 1 ? " line" : " lines");
                before = ", ";
            }
        }
        text.append(before.equals(", ") ? "\n" : "");
    }

    private static void latency(StringBuilder text, String what, CycleHistogram latency) {
        if (latency.count() != 0) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%-10s %d responses after %d to %d cycles, mean %.1f, 50 %% within %d,"
                                    + " 90 %% within %d, 99 %% within %d\n",
                            what,
                            latency.count(),
                            latency.least(),
                            latency.most(),
                            latency.mean(),
                            latency.percentile(50),
                            latency.percentile(90),
                            latency.percentile(99)));
        }
    }

    private void busy(StringBuilder text) {
        for (Channel channel : Channel.values()) {
            long carried = beats(channel);
            if (carried == 0) {
                continue;
            }
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%-10s %d beats, busy %.1f %%",
                            channel,
                            carried,
                            percent(carried)));
            long full =
                    switch (channel) {
                        case TX_C0 -> c0AlmostFull;
                        case TX_C1 -> c1AlmostFull;
                        default -> 0;
                    };
            if (full != 0) {
                text.append(String.format(Locale.ROOT, ", almost full %.1f %%", percent(full)));
            }
            text.append('\n');
        }
    }

    private void cache(StringBuilder text) {
        String what = "cache";
        for (Request request : Request.values()) {
            long lookups = cacheHits(request) + cacheMisses(request);
            if (lookups != 0) {
                text.append(
                        String.format(
                                Locale.ROOT,
                                "%-10s %s %d lines, %d hits, %d misses, %d evictions\n",
                                what,
                                request,
                                lookups,
                                cacheHits(request),
                                cacheMisses(request),
                                cacheEvictions(request)));
                what = "";
            }
        }
    }

    private double percent(long of) {
        return 100.0 * of / Math.max(1, cycles);
    }

    private void power(StringBuilder text) {
        for (PowerState state : PowerState.values()) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%-10s %d cycles, %.3f lines asked for per cycle\n",
                            state,
                            cycles(state),
                            requestRate(state)));
        }
    }
}
