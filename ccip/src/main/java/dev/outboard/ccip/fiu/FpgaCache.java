package dev.outboard.ccip.fiu;

import static dev.outboard.ccip.checker.CacheTransition.Command.EVCT_CLN;
import static dev.outboard.ccip.checker.CacheTransition.Command.INV_I_TO_E;
import static dev.outboard.ccip.checker.CacheTransition.Command.NONE;
import static dev.outboard.ccip.checker.CacheTransition.Command.RD_CODE;
import static dev.outboard.ccip.checker.CacheTransition.Command.RD_CUR;
import static dev.outboard.ccip.checker.CacheTransition.Command.RD_INV_OWN;
import static dev.outboard.ccip.checker.CacheTransition.Command.WB_M_TO_I;
import static dev.outboard.ccip.checker.CacheTransition.Command.WB_PUSH_M_TO_I;
import static dev.outboard.ccip.checker.CacheTransition.State.I;
import static dev.outboard.ccip.checker.CacheTransition.State.M;
import static dev.outboard.ccip.checker.CacheTransition.State.S;

import dev.outboard.ccip.checker.CacheLookup;
import dev.outboard.ccip.checker.CacheTransition;
import dev.outboard.ccip.checker.CacheTransition.Command;
import dev.outboard.ccip.checker.CacheTransition.Phase;
import dev.outboard.ccip.checker.CacheTransition.Request;
import dev.outboard.ccip.checker.CacheTransition.State;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.ReadType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The FPGA cache of an integrated platform: 128 KiB, direct mapped, in the processor's coherence
/// domain (CCI-P manual 1.2.2.3, 1.3.12.1).
///
/// It decides what is a hit and what UPI carries. The bytes of a line are always those of memory,
/// as coherence makes them; a line that the processor has stored to since, which the cache sees by
/// comparing, counts as snooped away.
final class FpgaCache {
    /// CCIP-CCH-1, CCIP-PLT-5: 128 KiB, direct mapped.
    static final int LINES = 2048;

    private static final State[] STATES = State.values();

    /// Writes come first, in the order of their codes.
    private static final Request[] REQUESTS = Request.values();

    /// By request, whether the tag is that of the line, and the state of the indexed line.
    private static final CacheTransition[] TABLE = table(INV_I_TO_E);

    /// The same for writes of some bytes of a line.
    private static final CacheTransition[] TABLE_OF_BYTES = table(RD_INV_OWN);

    private final long[] tag = new long[LINES];
    private final byte[] state = new byte[LINES];
    private final boolean[] copied = new boolean[LINES];
    private final long[] copy = new long[LINES * Line.LONGS];
    private final long[] current = new long[Line.LONGS];
    private final CacheLookup lookup = new CacheLookup(TABLE[0]);
    private Consumer<CacheLookup> listener = _ -> {};

    FpgaCache() {
        Arrays.fill(tag, -1);
        Arrays.fill(state, (byte) I.ordinal());
    }

    /// CCIP-CCH-20: the rows of the manual's table, by their numbers.
    ///
    /// @param own how a write that misses obtains the line
    private static CacheTransition[] table(Command own) {
        CacheTransition[] table = new CacheTransition[REQUESTS.length * 2 * STATES.length];
        writes(table, Request.WRLINE_I, own, WB_M_TO_I, 1, 2, 3, 9, 12);
        writes(table, Request.WRLINE_M, own, NONE, 4, 5, 6, 10, 13);
        writes(table, Request.WRPUSH_I, own, WB_PUSH_M_TO_I, 7, 8, 8, 11, 14);
        reads(table, Request.RDLINE_I, RD_CUR, I, 17, 18, 19, 21);
        reads(table, Request.RDLINE_S, RD_CODE, S, 15, 16, 20, 22);
        reads(table, Request.UMSG, RD_CODE, S, 15, 16, 20, 22);
        return table;
    }

    /// The rows of a write that ends with this phase: hit in M and S, miss, victim in M and S.
    ///
    /// CCIP-CCH-22a: a write of a line asks for ownership without data.
    ///
    /// CCIP-MEM-4a, CCIP-MEM-5, CCIP-MEM-6a: only WrLine_M keeps the line.
    private static void writes(
            CacheTransition[] table, Request request, Command own, Command last, int... rows) {
        put(table, rows[0], request, true, M, write(NONE, NONE, last));
        put(table, rows[1], request, true, S, write(NONE, INV_I_TO_E, last));
        put(table, rows[2], request, false, I, write(NONE, own, last));
        put(table, rows[3], request, false, M, write(WB_M_TO_I, own, last));
        put(table, rows[4], request, false, S, write(EVCT_CLN, own, last));
    }

    /// The rows of a read: hit, miss, victim in M and S.
    ///
    /// CCIP-MEM-3, CCIP-CCH-6: RdCode keeps the line shared, RdCur does not keep it.
    private static void reads(
            CacheTransition[] table, Request request, Command own, State after, int... rows) {
        put(table, rows[0], request, true, M, List.of(new Phase(NONE, M)));
        put(table, rows[0], request, true, S, List.of(new Phase(NONE, S)));
        put(table, rows[1], request, false, I, read(NONE, own, after));
        put(table, rows[2], request, false, M, read(WB_M_TO_I, own, after));
        put(table, rows[3], request, false, S, read(EVCT_CLN, own, after));
    }

    private static List<Phase> write(Command victim, Command own, Command last) {
        List<Phase> phases = new ArrayList<>();
        if (victim != NONE) {
            phases.add(new Phase(victim, I));
        }
        phases.add(new Phase(own, M));
        if (last != NONE) {
            phases.add(new Phase(last, I));
        }
        return List.copyOf(phases);
    }

    private static List<Phase> read(Command victim, Command own, State after) {
        Phase phase = new Phase(own, after);
        return victim == NONE ? List.of(phase) : List.of(new Phase(victim, I), phase);
    }

    private static void put(
            CacheTransition[] table,
            int row,
            Request request,
            boolean hit,
            State before,
            List<Phase> phases) {
        table[entry(request, hit, before)] = new CacheTransition(row, request, hit, before, phases);
    }

    private static int entry(Request request, boolean hit, State before) {
        return (request.ordinal() * 2 + (hit ? 1 : 0)) * STATES.length + before.ordinal();
    }

    /// Who is told of each lookup.
    void onLookup(Consumer<CacheLookup> listener) {
        this.listener = listener;
    }

    /// Serves line `line` of a request on VL0.
    ///
    /// CCIP-CCH-5, CCIP-CCH-21: a read of either type takes the tag; what was there is a hit.
    CacheTransition lookup(PendingRequest request, int line) {
        long address = request.address + line;
        int index = index(address);
        forgetIfStored(request.mapping, address);
        State before = STATES[state[index]];
        boolean hit = tag[index] == address && before != I;
        CacheTransition transition = table(request)[entry(request(request), hit, before)];
        report(request, line, transition, tag[index]);
        tag[index] = address;
        state[index] = (byte) transition.after().ordinal();
        copied[index] = copied[index] && hit && request.kind == PendingRequest.READ;
        return transition;
    }

    /// CCIP-CCH-22b: a write of some bytes has to have the others, which a miss does not have.
    private static CacheTransition[] table(PendingRequest request) {
        boolean whole = request.kind == PendingRequest.READ || request.length == Line.BYTES;
        return whole ? TABLE : TABLE_OF_BYTES;
    }

    /// CCIP-CCH-8: each lookup is told, with victim and states.
    private void report(PendingRequest request, int line, CacheTransition transition, long held) {
        lookup.request = request.ordinal;
        lookup.line = line;
        lookup.address = request.address + line;
        lookup.victim = transition.evicts() ? held : CacheLookup.NONE;
        lookup.transition = transition;
        listener.accept(lookup);
    }

    private void forgetIfStored(@Nullable Mapping mapping, long address) {
        int index = index(address);
        if (copied[index] && tag[index] == address && mapping != null && mapping.isLive()) {
            mapping.read(address, current, 0);
            int at = index * Line.LONGS;
            if (!Arrays.equals(current, 0, Line.LONGS, copy, at, at + Line.LONGS)) {
                state[index] = (byte) I.ordinal();
                copied[index] = false;
            }
        }
    }

    /// Line `line` of a request on VL0 has reached memory: the cache keeps what it is now.
    void drained(PendingRequest request, int line) {
        long address = request.address + line;
        int index = index(address);
        if (tag[index] == address && state[index] != I.ordinal()) {
            int at = PendingRequest.at(line);
            System.arraycopy(request.data, at, copy, index * Line.LONGS, Line.LONGS);
            copied[index] = request.kind == PendingRequest.READ || request.length == Line.BYTES;
        }
    }

    /// A request on a PCIe channel: the processor snoops the cache for its line. A write ends any
    /// copy here; a read has a modified line written back.
    ///
    /// CCIP-CCH-3: a read snoop leaves S, one for ownership I.
    ///
    /// @return whether a modified line had to be fetched from here
    boolean snoop(long address, boolean isRead) {
        int index = index(address);
        if (tag[index] != address || state[index] == I.ordinal()) {
            return false;
        }
        boolean modified = state[index] == M.ordinal();
        state[index] = (byte) (isRead ? S : I).ordinal();
        return modified;
    }

    /// CCIP-CCH-2: M, S or I.
    State state(long lineAddress) {
        int index = index(lineAddress);
        return tag[index] == lineAddress ? STATES[state[index]] : I;
    }

    private static int index(long lineAddress) {
        return (int) lineAddress & LINES - 1;
    }

    private static Request request(PendingRequest request) {
        if (request.kind != PendingRequest.READ) {
            return REQUESTS[request.type];
        }
        if (request.ordinal == CacheLookup.NONE) {
            return Request.UMSG;
        }
        return request.type == ReadType.RDLINE_S.code() ? Request.RDLINE_S : Request.RDLINE_I;
    }
}
