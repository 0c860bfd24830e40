package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import java.util.Arrays;

/// DPA-FXO-9: doorbells that have arrived and that nobody has taken yet, in the order of their
/// arrival. None is merged or lost. Not safe for use by several threads at once: its owner guards
/// it. Ringing allocates nothing once the board has grown to what a program needs.
public final class DoorbellBoard {
    /// In place of a register: all registers that are the NIC's own.
    public static final int ANY = -1;

    /// In place of a thread: somebody outside the DPA.
    public static final int OUTSIDE = -1;

    private static final int FIRST_CAPACITY = 64;

    private int[] registers = new int[FIRST_CAPACITY];
    private int[] threads = new int[FIRST_CAPACITY];
    private int[] uars = new int[FIRST_CAPACITY];
    private long[] values = new long[FIRST_CAPACITY];
    private long[] tokens = new long[FIRST_CAPACITY];
    private long[] arrivals = new long[FIRST_CAPACITY];
    private long arrived;
    private int count;
    private boolean hasEngine;

    /// DPA-FXQ-2c: the process has a NIC that takes what threads store to the MSI-X register, since
    /// that is for its completion queues. Without one it interrupts the host at once.
    public void engine() {
        hasEngine = true;
    }

    /// A doorbell arrives.
    public void ring(int register, long value, int thread, int uar, long token) {
        if (count == values.length) {
            registers = Arrays.copyOf(registers, 2 * count);
            threads = Arrays.copyOf(threads, 2 * count);
            uars = Arrays.copyOf(uars, 2 * count);
            values = Arrays.copyOf(values, 2 * count);
            tokens = Arrays.copyOf(tokens, 2 * count);
            arrivals = Arrays.copyOf(arrivals, 2 * count);
        }
        registers[count] = register;
        threads[count] = thread;
        uars[count] = uar;
        values[count] = value;
        tokens[count] = token;
        arrivals[count] = arrived++;
        count++;
    }

    /// Where the oldest doorbell of that register and queue is, or the oldest of [#ANY].
    ///
    /// @return -1 if there is none
    public int find(int register, int queue) {
        for (int i = 0; i < count; i++) {
            boolean forNic = isForNic(registers[i], values[i], threads[i]);
            boolean found = register == ANY ? forNic : isOf(i, register, queue, forNic);
            if (found) {
                return i;
            }
        }
        return -1;
    }

    /// A host awaits the same register as threads store to, but not what is for the NIC.
    private boolean isOf(int index, int register, int queue, boolean forNic) {
        return registers[index] == register
                && Doorbell.number(register, values[index]) == queue
                && !(forNic && register == AddressMap.MSIX_DOORBELL);
    }

    /// Whether the NIC takes that doorbell, and not the host or another server.
    ///
    /// @param thread who has rung, or [#OUTSIDE]
    public boolean isForNic(int register, long value, int thread) {
        return switch (register) {
            case Doorbell.COMMAND -> value == 0;
            case AddressMap.MSIX_DOORBELL -> hasEngine && thread != OUTSIDE;
            default -> true;
        };
    }

    /// Whether the doorbell that [#find] has found is a command of the host.
    public boolean isCommand(int index) {
        return registers[index] == Doorbell.COMMAND;
    }

    /// Takes the doorbell that [#find] has found.
    public Doorbell take(int index) {
        Doorbell doorbell =
                new Doorbell(
                        registers[index],
                        values[index],
                        threads[index],
                        uars[index],
                        tokens[index],
                        arrivals[index]);
        remove(index);
        return doorbell;
    }

    /// Takes the doorbell that [#find] has found, and has it used, without allocating anything.
    public void take(int index, Doorbell.Use use) {
        int register = registers[index];
        long value = values[index];
        int uar = uars[index];
        long token = tokens[index];
        remove(index);
        use.use(register, value, uar, token);
    }

    private void remove(int index) {
        count--;
        int moved = count - index;
        System.arraycopy(registers, index + 1, registers, index, moved);
        System.arraycopy(threads, index + 1, threads, index, moved);
        System.arraycopy(uars, index + 1, uars, index, moved);
        System.arraycopy(values, index + 1, values, index, moved);
        System.arraycopy(tokens, index + 1, tokens, index, moved);
        System.arraycopy(arrivals, index + 1, arrivals, index, moved);
    }
}
