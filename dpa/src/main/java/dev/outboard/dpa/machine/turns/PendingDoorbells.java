package dev.outboard.dpa.machine.turns;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.run.DoorbellBoard;
import dev.outboard.dpa.model.MemoryState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;

/// DPA-FXO-9: doorbells that were rung and have not arrived. The model has one name for each thread
/// and register, since those keep their order; what was rung is here.
final class PendingDoorbells {
    /// Registers begin at multiples of this.
    private static final int REGISTER_STRIDE = 0x40;

    private static final int REGISTERS = AddressMap.CONGESTION_DOORBELL / REGISTER_STRIDE + 1;

    private final MemoryState state;
    private final DoorbellBoard board;
    private final List<Queue<Rung>> rung = new ArrayList<>();
    private int[] delivered = {};
    private int pending;

    PendingDoorbells(MemoryState state, int threads, DoorbellBoard board) {
        this.state = state;
        this.board = board;
        for (int i = 0; i < threads; i++) {
            addThread();
        }
    }

    /// One thread more.
    void addThread() {
        for (int i = 0; i < REGISTERS; i++) {
            rung.add(new ArrayDeque<>());
        }
        delivered = Arrays.copyOf(delivered, rung.size());
    }

    /// How many names the model needs.
    static int count(int threads) {
        return threads * REGISTERS;
    }

    void ring(int thread, int register, long value, int uar, long token) {
        int name = thread * REGISTERS + register / REGISTER_STRIDE;
        rung.get(name).add(new Rung(register, value, thread, uar, token));
        pending++;
        state.ring(thread, register, name);
    }

    /// Passes on those that have arrived.
    void deliver() {
        for (int name = 0; pending > 0 && name < delivered.length; name++) {
            while (delivered[name] < state.arrived(name)) {
                Rung next = rung.get(name).remove();
                board.ring(next.register, next.value, next.thread, next.uar, next.token);
                delivered[name]++;
                pending--;
            }
        }
    }

    private record Rung(int register, long value, int thread, int uar, long token) {}
}
