package dev.outboard.ccip.fiu;

import static dev.outboard.ccip.fiu.CacheTransition.Command.EVCT_CLN;
import static dev.outboard.ccip.fiu.CacheTransition.Command.INV_I_TO_E;
import static dev.outboard.ccip.fiu.CacheTransition.Command.NONE;
import static dev.outboard.ccip.fiu.CacheTransition.Command.RD_CODE;
import static dev.outboard.ccip.fiu.CacheTransition.Command.RD_CUR;
import static dev.outboard.ccip.fiu.CacheTransition.Command.WB_M_TO_I;
import static dev.outboard.ccip.fiu.CacheTransition.Command.WB_PUSH_M_TO_I;
import static dev.outboard.ccip.fiu.CacheTransition.State.I;
import static dev.outboard.ccip.fiu.CacheTransition.State.M;
import static dev.outboard.ccip.fiu.CacheTransition.State.S;

import dev.outboard.ccip.fiu.CacheTransition.Command;
import dev.outboard.ccip.fiu.CacheTransition.Phase;
import dev.outboard.ccip.fiu.CacheTransition.State;
import dev.outboard.ccip.wire.Line;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.WriteType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The FPGA cache of an integrated platform: 128 KiB, direct mapped, in the processor's coherence
/// domain (CCI-P manual 1.2.2.3, 1.3.12.1).
///
/// It decides what is a hit and what UPI carries. The bytes of a line are always those of memory,
/// as coherence makes them; a line that the processor has stored to since, which the cache sees by
/// comparing, counts as snooped away.
final class FpgaCache {
    static final int LINES = 2048;

    private static final int READ_S = 3;
    private static final int READ_I = 4;
    private static final State[] STATES = State.values();
    private static final int KINDS = 5;

    /// By kind of request, whether the tag is that of the line, and the state of the indexed line.
    private static final CacheTransition[] TABLE = table();

    private final long[] tag = new long[LINES];
    private final byte[] state = new byte[LINES];
    private final boolean[] copied = new boolean[LINES];
    private final long[] copy = new long[LINES * Line.LONGS];
    private final long[] current = new long[Line.LONGS];

    FpgaCache() {
        Arrays.fill(tag, -1);
        Arrays.fill(state, (byte) I.ordinal());
    }

    private static CacheTransition[] table() {
        CacheTransition[] table = new CacheTransition[KINDS * 2 * STATES.length];
        WriteType[] writes = {WriteType.WRLINE_I, WriteType.WRLINE_M, WriteType.WRPUSH_I};
        for (int kind = 0; kind < writes.length; kind++) {
            Command last =
                    switch (writes[kind]) {
                        case WRLINE_I -> WB_M_TO_I;
                        case WRPUSH_I -> WB_PUSH_M_TO_I;
                        default -> NONE;
                    };
            put(table, kind, true, M, row(kind, 1, 4, 7), write(NONE, NONE, last));
            put(table, kind, true, S, row(kind, 2, 5, 8), write(NONE, INV_I_TO_E, last));
            put(table, kind, false, I, row(kind, 3, 6, 8), write(NONE, INV_I_TO_E, last));
            put(table, kind, false, M, row(kind, 9, 10, 11), write(WB_M_TO_I, INV_I_TO_E, last));
            put(table, kind, false, S, row(kind, 12, 13, 14), write(EVCT_CLN, INV_I_TO_E, last));
        }
        for (State held : List.of(S, M)) {
            put(table, READ_S, true, held, 15, List.of(new Phase(NONE, held)));
            put(table, READ_I, true, held, 17, List.of(new Phase(NONE, held)));
        }
        put(table, READ_S, false, I, 16, read(NONE, RD_CODE, S));
        put(table, READ_I, false, I, 18, read(NONE, RD_CUR, I));
        put(table, READ_I, false, M, 19, read(WB_M_TO_I, RD_CUR, I));
        put(table, READ_S, false, M, 20, read(WB_M_TO_I, RD_CODE, S));
        put(table, READ_I, false, S, 21, read(EVCT_CLN, RD_CUR, I));
        put(table, READ_S, false, S, 22, read(EVCT_CLN, RD_CODE, S));
        return table;
    }

    private static int row(int kind, int... rows) {
        return rows[kind];
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
        return phases;
    }

    private static List<Phase> read(Command victim, Command own, State after) {
        Phase phase = new Phase(own, after);
        return victim == NONE ? List.of(phase) : List.of(new Phase(victim, I), phase);
    }

    private static void put(
            CacheTransition[] table,
            int kind,
            boolean hit,
            State before,
            int row,
            List<Phase> phases) {
        int response =
                phases.getFirst().command() == WB_M_TO_I || phases.getFirst().command() == EVCT_CLN
                        ? 2
                        : 1;
        table[entry(kind, hit, before)] =
                new CacheTransition(row, hit, phases, response, phases.getLast().after());
    }

    private static int entry(int kind, boolean hit, State before) {
        return (kind * 2 + (hit ? 1 : 0)) * STATES.length + before.ordinal();
    }

    /// Serves a line of a request on VL0.
    CacheTransition lookup(PendingLine line) {
        long address = line.address;
        int index = index(address);
        forgetIfStored(line, index);
        State before = STATES[state[index]];
        boolean hit = tag[index] == address && before != I;
        CacheTransition transition = TABLE[entry(kind(line), hit, before)];
        tag[index] = address;
        state[index] = (byte) transition.after().ordinal();
        copied[index] = copied[index] && hit && line.kind == PendingLine.READ;
        return transition;
    }

    private void forgetIfStored(PendingLine line, int index) {
        Mapping mapping = line.mapping;
        if (copied[index] && tag[index] == line.address && mapping != null && mapping.isLive()) {
            mapping.read(tag[index], current, 0);
            int at = index * Line.LONGS;
            if (!Arrays.equals(current, 0, Line.LONGS, copy, at, at + Line.LONGS)) {
                state[index] = (byte) I.ordinal();
                copied[index] = false;
            }
        }
    }

    /// A line of a request on VL0 has reached memory: the cache keeps what it is now.
    void drained(PendingLine line) {
        int index = index(line.address);
        if (tag[index] == line.address && state[index] != I.ordinal()) {
            System.arraycopy(line.data, 0, copy, index * Line.LONGS, Line.LONGS);
            copied[index] = line.kind == PendingLine.READ || line.length == Line.BYTES;
        }
    }

    /// A request on a PCIe channel: the processor snoops the cache for its line. A write ends any
    /// copy here; a read has a modified line written back.
    ///
    /// @return whether a modified line had to be fetched from here
    boolean snoop(PendingLine line) {
        int index = index(line.address);
        if (tag[index] != line.address || state[index] == I.ordinal()) {
            return false;
        }
        boolean modified = state[index] == M.ordinal();
        state[index] = (byte) (line.kind == PendingLine.READ ? S : I).ordinal();
        return modified;
    }

    State state(long lineAddress) {
        int index = index(lineAddress);
        return tag[index] == lineAddress ? STATES[state[index]] : I;
    }

    private static int index(long lineAddress) {
        return (int) lineAddress & LINES - 1;
    }

    private static int kind(PendingLine line) {
        if (line.kind == PendingLine.READ) {
            return line.type == ReadType.RDLINE_S.code() ? READ_S : READ_I;
        }
        return line.type;
    }
}
