package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.memory.DpaMemory;
import dev.outboard.dpa.machine.memory.Reservations;
import dev.outboard.dpa.machine.memory.Words;
import dev.outboard.dpa.machine.run.ActorPlan.HostPlan;
import java.lang.foreign.MemorySegment;

/// What an actor outside may reach, and accesses that are performed at once. Its mistakes are those
/// of a program of the host, so they are exceptions and not faults of the process.
public final class OutsidePort {
    private static final ActorPlan OWNER = new HostPlan(-1, "the host", host -> {}, false);

    private final ProcessState process;
    private final ActorPlan plan;

    /// The port of that actor.
    public OutsidePort(ProcessState process, ActorPlan plan) {
        this.process = process;
        this.plan = plan;
    }

    /// DPA-HW-15: the bytes of a load or store.
    ///
    /// @throws IndexOutOfBoundsException if there is no such memory
    /// @throws IllegalArgumentException if the address is not aligned, or the actor is a host that
    ///   has to copy
    public MemorySegment reach(long address, int lengthBytes) {
        if ((address & (lengthBytes - 1)) != 0) {
            throw new IllegalArgumentException(
                    "'%s' accesses %d bytes at 0x%x, which %d does not divide"
                            .formatted(plan.name(), lengthBytes, address, lengthBytes));
        }
        if (plan instanceof HostPlan) {
            checkDirect(address, lengthBytes);
        }
        return bytes(address, lengthBytes);
    }

    private void checkDirect(long address, int lengthBytes) {
        if (!AddressMap.isWindow(address)) {
            throw new IllegalArgumentException(
                    "'%s' is a host: it reaches DPA memory at 0x%x by copies only"
                            .formatted(plan.name(), address));
        }
        ExternalRegion region = process.external().region(address, lengthBytes);
        checkMemory(region);
        if (!region.kind().isDirect()) {
            throw new IllegalArgumentException(
                    "'%s' is a host: it reaches %s memory '%s' by copies only"
                            .formatted(plan.name(), region.kind(), region.name()));
        }
    }

    /// The bytes of a copy.
    public MemorySegment bytes(long address, long lengthBytes) {
        if (AddressMap.isWindow(address)) {
            ExternalRegion region = process.external().region(address, lengthBytes);
            checkMemory(region);
            return region.bytes();
        }
        if (!process.memory().holds(address, lengthBytes)) {
            throw new IndexOutOfBoundsException(
                    "'%s' accesses %d bytes at 0x%x, where the process has no memory"
                            .formatted(plan.name(), lengthBytes, address));
        }
        return process.memory().bytes(address);
    }

    /// DPA-FXW-11: only windows reach the registers of a device. Who accesses them otherwise would
    /// do so at sizes and times that the device does not expect.
    private void checkMemory(ExternalRegion region) {
        if (region.kind() == ExternalKind.MMIO) {
            throw new IllegalArgumentException(
                    "'%s' reaches no registers of device '%s': they are for windows only"
                            .formatted(plan.name(), region.name()));
        }
    }

    /// Where an address lies in its bytes.
    public long offset(long address) {
        return AddressMap.isWindow(address)
                ? address - process.external().region(address, 1).address()
                : DpaMemory.offset(address);
    }

    /// Stores a word. It ends reservations of threads.
    public void store(MemorySegment bytes, long address, int lengthBytes, long value) {
        Reservations reservations = process.reservations();
        if (reservations.any()) {
            synchronized (reservations) {
                Words.store(bytes, offset(address), lengthBytes, value);
                reservations.end(address, -1);
            }
        } else {
            Words.store(bytes, offset(address), lengthBytes, value);
        }
    }

    /// Adds to 8 bytes in one step. That ends reservations of threads.
    ///
    /// @return the former value
    public long fetchAdd(long address, long addend) {
        MemorySegment bytes = reach(address, Long.BYTES);
        long offset = offset(address);
        Reservations reservations = process.reservations();
        if (!reservations.any()) {
            return (long) Words.LONG.getAndAdd(bytes, offset, addend);
        }
        synchronized (reservations) {
            long former = (long) Words.LONG.getAndAdd(bytes, offset, addend);
            reservations.end(address, -1);
            return former;
        }
    }

    /// Replaces 8 bytes in one step if they hold what is expected. That ends reservations of
    /// threads.
    ///
    /// @return the former value
    public long compareAndSwap(long address, long expected, long value) {
        MemorySegment bytes = reach(address, Long.BYTES);
        long offset = offset(address);
        Reservations reservations = process.reservations();
        if (!reservations.any()) {
            return (long) Words.LONG.compareAndExchange(bytes, offset, expected, value);
        }
        synchronized (reservations) {
            long former = (long) Words.LONG.compareAndExchange(bytes, offset, expected, value);
            if (former == expected) {
                reservations.end(address, -1);
            }
            return former;
        }
    }

    /// Copies in, word by word where words are aligned, from the lowest address on.
    public void copyTo(long address, byte[] bytes) {
        MemorySegment to = bytes(address, bytes.length);
        for (int i = 0; i < bytes.length; ) {
            int length = wordAt(address + i, bytes.length - i);
            store(to, address + i, length, word(bytes, i, length));
            i += length;
        }
    }

    /// Copies out, word by word where words are aligned, from the lowest address on.
    public byte[] copyFrom(long address, int lengthBytes) {
        MemorySegment from = bytes(address, lengthBytes);
        byte[] bytes = new byte[lengthBytes];
        for (int i = 0; i < lengthBytes; ) {
            int length = wordAt(address + i, lengthBytes - i);
            put(bytes, i, length, Words.load(from, offset(address + i), length));
            i += length;
        }
        return bytes;
    }

    /// What memory of any kind holds, as the owner of the process reads it while nobody runs.
    public static byte[] read(ProcessState process, long address, int lengthBytes) {
        return new OutsidePort(process, OWNER).copyFrom(address, lengthBytes);
    }

    /// Fills memory of any kind, as the owner of the process does while nobody runs.
    public static void write(ProcessState process, long address, byte[] bytes) {
        new OutsidePort(process, OWNER).copyTo(address, bytes);
    }

    /// Memory of any kind itself.
    ///
    /// @throws IndexOutOfBoundsException if there is no such memory
    public static MemorySegment segment(ProcessState process, long address, long lengthBytes) {
        OutsidePort port = new OutsidePort(process, OWNER);
        return port.bytes(address, lengthBytes).asSlice(port.offset(address), lengthBytes);
    }

    /// How many bytes of a copy go in one access.
    public static int wordAt(long address, int left) {
        int aligned = (int) Math.min(Long.BYTES, Long.lowestOneBit(address | Long.BYTES));
        return Math.min(aligned, Integer.highestOneBit(left));
    }

    /// The bytes of an array as a little-endian word.
    public static long word(byte[] bytes, int from, int length) {
        long value = 0;
        for (int i = length - 1; i >= 0; i--) {
            value = (value << Byte.SIZE) | (bytes[from + i] & 0xFFL);
        }
        return value;
    }

    /// Puts a little-endian word into an array.
    public static void put(byte[] bytes, int from, int length, long value) {
        for (int i = 0; i < length; i++) {
            bytes[from + i] = (byte) (value >>> (Byte.SIZE * i));
        }
    }
}
