package dev.outboard.dpa.model;

import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Space;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The state of all memory, and the rules of section 9 of the catalog by which it changes. What
/// threads, NIC and host do are methods that say at once what they read; what may happen by itself
/// are the steps [#perform], [#show], [#vanish] and [#performPosted], which are up to whoever runs
/// it.
///
/// Of the writes to a granule only two matter: the last one, which DPA threads read, and the newest
/// that the NIC sees. What lies between them is in the unseen writes of each thread. Not
/// thread-safe; [#copy()] is cheap.
public final class MemoryState {
    private final Layout layout;
    private final Profile profile;

    private final Contents contents;
    private ThreadMemory[] threads;
    private Arrivals arrivals;
    private Posted[] posted;
    private RegisterWrites registerWrites = (thread, address, sizeBytes, value) -> {};

    /// Is told of writes to registers of a device as they are performed.
    @FunctionalInterface
    public interface RegisterWrites {
        /// A write of a thread is performed.
        void performed(int thread, int address, int sizeBytes, long value);
    }

    /// A state in which nothing has happened.
    ///
    /// @param memory the granules of DPA memory
    /// @param external the granules of external memory
    public MemoryState(Layout layout, Profile profile, long[] memory, long[] external) {
        this.layout = layout;
        this.profile = profile;
        contents = new Contents(memory, external);
        threads = new ThreadMemory[layout.threads()];
        Arrays.fill(threads, new ThreadMemory());
        arrivals = Arrivals.none(layout.doorbells());
        posted = new Posted[0];
    }

    private MemoryState(MemoryState original) {
        layout = original.layout;
        profile = original.profile;
        contents = original.contents.copy();
        threads = original.threads.clone();
        arrivals = original.arrivals;
        posted = original.posted;
        registerWrites = original.registerWrites;
    }

    /// Another state like this one.
    public MemoryState copy() {
        return new MemoryState(this);
    }

    /// Adds a thread, and doorbells.
    public void addThread(int doorbells) {
        int number = threads.length;
        threads = Arrays.copyOf(threads, number + 1);
        threads[number] = new ThreadMemory();
        arrivals = arrivals.withMore(doorbells);
    }

    /// Adds a granule of DPA memory.
    ///
    /// @return its number
    public int addMemory(boolean heap, long value) {
        int granule = layout.addMemory(heap);
        contents.addMemory(granule, value);
        return granule;
    }

    /// Adds a granule of external memory. Granules of a line are added one after the other.
    ///
    /// @return its number
    public int addExternal(int line, long value) {
        int granule = layout.addExternal(line);
        contents.addExternal(granule, value);
        return granule;
    }

    /// DPA-FXW-11: adds a granule of registers of a device.
    ///
    /// @param line of its own
    /// @return its number, among those of external memory
    public int addRegisters(int line) {
        int granule = layout.addRegisters(line);
        contents.addExternal(granule, 0);
        return granule;
    }

    /// Who is told of writes to such granules.
    public void onRegisterWrite(RegisterWrites told) {
        registerWrites = told;
    }

    // DPA threads

    /// The number of DPA threads.
    int threads() {
        return threads.length;
    }

    /// The number of granules of DPA memory.
    int granules() {
        return contents.memory.length;
    }

    /// What the memory knows of a thread.
    ThreadMemory thread(int thread) {
        return threads[thread];
    }

    /// DPA-OPM-4: whether a load has to wait for writes before a fence.
    public boolean isLoadBlocked(int thread, boolean window, int address) {
        ThreadMemory own = threads[thread];
        return !own.hold(own.log().waits(loadClass(window, address)));
    }

    private int loadClass(boolean window, int address) {
        if (window) {
            return Log.WINDOW_LOAD;
        }
        return layout.kindOf(address) == Kind.HEAP ? Log.HEAP_LOAD : Log.MEMORY_LOAD;
    }

    /// DPA-OPM-9: whether a load through the window may capture the rest of the line.
    public boolean canCapture(int thread, int address, int sizeBytes) {
        int granule = Bytes.granule(address);
        if (!layout.sharesLine(granule) || !fetches(thread, granule, address, sizeBytes)) {
            return false;
        }
        for (int i = layout.firstOfLine(granule); i <= layout.lastOfLine(granule); i++) {
            if (i != granule && threads[thread].copyOf(i) == null) {
                return true;
            }
        }
        return false;
    }

    private boolean fetches(int thread, int granule, int address, int sizeBytes) {
        int missing =
                Bytes.mask(address, sizeBytes) & ~threads[thread].pendingMask(Kind.WINDOW, granule);
        return missing != 0 && threads[thread].copyOf(granule) == null;
    }

    /// DPA-OPM-4: a load of DPA memory. Each byte is that of the newest pending store of the thread
    /// to it, or else the last one written.
    public long load(int thread, int address, int sizeBytes) {
        int granule = Bytes.granule(address);
        long value =
                threads[thread].overlay(layout.kindOf(address), granule, contents.memory[granule]);
        return Bytes.extract(address, sizeBytes, value);
    }

    /// DPA-OPM-4: a load through the window. Each byte is that of the newest pending store of the
    /// thread to it, or else of its cached copy, which is fetched if there is none.
    public long loadWindow(int thread, int address, int sizeBytes, boolean capture) {
        int granule = Bytes.granule(address);
        if (fetches(thread, granule, address, sizeBytes)) {
            fetch(thread, granule, capture);
        }
        ThreadMemory own = threads[thread];
        Copy copy = own.copyOf(granule);
        long below = copy == null ? 0 : copy.value();
        return Bytes.extract(address, sizeBytes, own.overlay(Kind.WINDOW, granule, below));
    }

    private void fetch(int thread, int granule, boolean capture) {
        Copy[] copies = Copies.older(threads[thread].copies());
        copies = Copies.insert(copies, new Copy(granule, contents.external[granule], true));
        if (capture) {
            for (int i = layout.firstOfLine(granule); i <= layout.lastOfLine(granule); i++) {
                if (i != granule && threads[thread].copyOf(i) == null) {
                    copies = Copies.insert(copies, new Copy(i, contents.external[i], true));
                }
            }
        }
        threads[thread] = threads[thread].withCopies(copies);
    }

    /// DPA-FXW-11: whether a load of registers has to ask the device: for bytes of which the thread
    /// has neither a pending store nor a cached copy.
    public boolean asksDevice(int thread, int address, int sizeBytes) {
        int granule = Bytes.granule(address);
        Copy copy = threads[thread].copyOf(granule);
        int known =
                threads[thread].pendingMask(Kind.WINDOW, granule)
                        | (copy == null ? 0 : copy.mask());
        return (Bytes.mask(address, sizeBytes) & ~known) != 0;
    }

    /// DPA-FXW-11: a load of registers that the device has answered. What it did not tell of the
    /// granule is no longer cached.
    public long loadRegister(int thread, int address, int sizeBytes, long answer) {
        int granule = Bytes.granule(address);
        int mask = Bytes.mask(address, sizeBytes);
        externalWrite(address, sizeBytes, answer);
        Copy[] others = Copies.without(threads[thread].copies(), granule);
        Copy fetched = new Copy(granule, contents.external[granule], mask, true);
        threads[thread] = threads[thread].withCopies(Copies.insert(Copies.older(others), fetched));
        return loadWindow(thread, address, sizeBytes, false);
    }

    /// DPA-OPM-1: issues a store to DPA memory.
    public void store(int thread, int address, int sizeBytes, long value) {
        Kind kind = layout.kindOf(address);
        int[] bounds = threads[thread].boundsOf(kind, profile);
        issue(thread, kind, address, sizeBytes, value, bounds, null);
    }

    /// DPA-FXS-2, DPA-FXS-3: a store that releases: performed after all earlier stores of the
    /// thread to DPA memory, as the end of a spin lock. It says nothing of what the NIC sees.
    public void storeRelease(int thread, int address, int sizeBytes, long value) {
        Kind kind = layout.kindOf(address);
        int[] bounds = threads[thread].boundsOf(kind, profile);
        bounds[Bounds.PERFORM_MEMORY] = threads[thread].nextNumber();
        issue(thread, kind, address, sizeBytes, value, bounds, null);
    }

    /// DPA-CCH-6: whether a store through the window may come to rewrite other bytes of its line.
    public boolean canRewriteLine(int address) {
        return profile == Profile.BF3_LINES && layout.sharesLine(Bytes.granule(address));
    }

    /// DPA-OPM-1: issues a store through the window.
    public void storeWindow(
            int thread, int address, int sizeBytes, long value, boolean rewriteLine) {
        int[] bounds = threads[thread].boundsOf(Kind.WINDOW, profile);
        RestOfLine rest = rewriteLine ? restOfLine(thread, address, sizeBytes) : null;
        issue(thread, Kind.WINDOW, address, sizeBytes, value, bounds, rest);
    }

    private RestOfLine restOfLine(int thread, int address, int sizeBytes) {
        int granule = Bytes.granule(address);
        int first = layout.firstOfLine(granule);
        int[] masks = new int[layout.lastOfLine(granule) - first + 1];
        for (int i = 0; i < masks.length; i++) {
            masks[i] = Bytes.ALL & ~threads[thread].pendingMask(Kind.WINDOW, first + i);
        }
        masks[granule - first] &= ~Bytes.mask(address, sizeBytes);
        long[] values = Arrays.copyOfRange(contents.external, first, first + masks.length);
        return new RestOfLine(first, masks, values);
    }

    private void issue(
            int thread,
            Kind kind,
            int address,
            int sizeBytes,
            long value,
            int[] bounds,
            @Nullable RestOfLine rest) {
        int granule = Bytes.granule(address);
        int mask = Bytes.mask(address, sizeBytes);
        long placed = Bytes.merge(0, Bytes.place(address, value), mask);
        Write write = threads[thread].write(kind, granule, mask, placed, bounds, rest);
        threads[thread] = threads[thread].issue(write);
    }

    /// DPA-OPM-1: issues a doorbell.
    public void ring(int thread, int register, int doorbell) {
        int[] bounds = threads[thread].boundsOf(Kind.OUTBOX, profile);
        Write write =
                threads[thread].write(Kind.OUTBOX, register, Bytes.ALL, doorbell, bounds, null);
        threads[thread] = threads[thread].issue(write);
    }

    /// DPA-FEN-1, DPA-OPM-6: orders what comes before it and after it, and drops cached copies.
    public void fence(int thread, Space space, Op predecessors, Op successors) {
        ThreadMemory own = threads[thread];
        Log log = own.log();
        int number = own.nextNumber();
        own = own.with(log.fence(space, predecessors, successors, number, profile));
        if (dropsCopies(space, successors)) {
            boolean all =
                    (predecessors.reads() && profile.fencesInvalidate())
                            || (predecessors.writes() && own.wroteMmio());
            if (all) {
                own = own.withoutCopies();
            } else if (predecessors.reads()) {
                own = own.withCopies(Copies.newest(own.copies()));
            }
        }
        threads[thread] = own;
    }

    private boolean dropsCopies(Space space, Op successors) {
        boolean mmio = space == Space.MMIO || space == Space.SYSTEM;
        return mmio && successors.reads() && profile != Profile.PARANOID;
    }

    /// DPA-CCH-3: what comes after is ordered behind all stores to DPA memory so far.
    public void memoryWriteback(int thread) {
        ThreadMemory own = threads[thread];
        threads[thread] = own.with(own.log().memoryWriteback(own.nextNumber()));
    }

    /// DPA-CCH-2: what comes after is ordered behind all window stores so far.
    public void windowWriteback(int thread) {
        ThreadMemory own = threads[thread];
        threads[thread] = own.with(own.log().windowWriteback(own.nextNumber()));
    }

    /// DPA-CCH-1: drops cached reads.
    public void windowReadInv(int thread) {
        threads[thread] = threads[thread].withoutCopies();
    }

    // Atomics

    /// Whether an atomic or a conditional store has to wait: for the thread's own pending stores to
    /// these bytes, or to all of DPA memory if it releases; and as any load and any store has to.
    public boolean isAtomicBlocked(int thread, int address, int sizeBytes, boolean releases) {
        if (isLoadBlocked(thread, false, address)) {
            return true;
        }
        int granule = Bytes.granule(address);
        ThreadMemory own = threads[thread];
        for (Write write : own.pending()) {
            boolean same =
                    write.target() == granule
                            && (write.mask() & Bytes.mask(address, sizeBytes)) != 0;
            if (write.kind().isMemory() && (releases || same)) {
                return true;
            }
        }
        return !own.hold(own.boundsOf(layout.kindOf(address), profile));
    }

    /// Reads and writes in one step, and gives the former value.
    public long atomic(int thread, AtomicOp op, int address, int sizeBytes, long operand) {
        long old = Bytes.extract(address, sizeBytes, contents.memory[Bytes.granule(address)]);
        writeAtOnce(thread, address, sizeBytes, op.apply(old, operand, sizeBytes));
        return old;
    }

    private void writeAtOnce(int thread, int address, int sizeBytes, long value) {
        Kind kind = layout.kindOf(address);
        int[] bounds = threads[thread].boundsOf(kind, profile);
        int mask = Bytes.mask(address, sizeBytes);
        int granule = Bytes.granule(address);
        long placed = Bytes.place(address, value);
        Write write = threads[thread].write(kind, granule, mask, placed, bounds, null);
        threads[thread] = threads[thread].skipNumber();
        performMemory(thread, write);
    }

    /// Loads, and reserves the granule.
    public long loadReserved(int thread, int address, int sizeBytes) {
        threads[thread] = threads[thread].withReservation(Bytes.granule(address));
        return load(thread, address, sizeBytes);
    }

    /// Stores if the reservation holds, and gives it up.
    ///
    /// @return whether it stored
    public boolean storeConditional(int thread, int address, int sizeBytes, long value) {
        boolean holds = threads[thread].reserved() == Bytes.granule(address);
        threads[thread] = threads[thread].withoutReservation();
        if (holds) {
            writeAtOnce(thread, address, sizeBytes, value);
        }
        return holds;
    }

    /// What an atomic would read now.
    public long peek(int address, int sizeBytes) {
        return Bytes.extract(address, sizeBytes, contents.memory[Bytes.granule(address)]);
    }

    // Steps that happen by themselves

    /// DPA-OPM-2: whether a pending write may be performed.
    ///
    /// DPA-FXW-11: those to one granule of registers keep their order, since a register may have up
    /// to 8 bytes.
    boolean isPerformable(int thread, int index) {
        Write[] pending = threads[thread].pending();
        Write write = pending[index];
        if (write.kind() == Kind.WINDOW && layout.isRegisters(write.target())) {
            for (int i = 0; i < index; i++) {
                if (pending[i].kind() == Kind.WINDOW && pending[i].target() == write.target()) {
                    return false;
                }
            }
        }
        return threads[thread].isPerformable(index);
    }

    /// DPA-OPM-2: performs a pending write.
    public void perform(int thread, int index) {
        Write write = threads[thread].pending()[index];
        threads[thread] = threads[thread].withoutPending(index);
        switch (write.kind()) {
            case HEAP, MEMORY -> performMemory(thread, write);
            case WINDOW -> performWindow(thread, write);
            case OUTBOX -> arrivals = arrivals.with((int) write.value(), layout.arrivalsWatched());
        }
    }

    /// DPA-OPM-15: in COHERENT the NIC always sees the last write.
    private void performMemory(int thread, Write write) {
        int granule = write.target();
        contents.writeMemory(granule, write.value(), write.mask());
        clearReservations(granule, thread);
        if (profile == Profile.COHERENT) {
            contents.show(granule);
        } else {
            threads[thread] = threads[thread].hide(write);
        }
    }

    private void clearReservations(int granule, int writer) {
        for (int i = 0; i < threads.length; i++) {
            if (i != writer && threads[i].reserved() == granule) {
                threads[i] = threads[i].withoutReservation();
            }
        }
    }

    private void performWindow(int thread, Write write) {
        RestOfLine rest = write.rest();
        if (rest != null) {
            for (int i = 0; i < rest.masks().length; i++) {
                contents.writeExternal(rest.first() + i, rest.values()[i], rest.masks()[i]);
            }
        }
        contents.writeExternal(write.target(), write.value(), write.mask());
        if (threads[thread].copyOf(write.target()) != null) {
            Copy[] copies = Copies.written(threads[thread].copies(), write);
            threads[thread] = threads[thread].withCopies(copies);
        }
        if (layout.isRegisters(write.target())) {
            int size = Integer.bitCount(write.mask());
            int address =
                    write.target() * Layout.GRANULE_BYTES
                            + Integer.numberOfTrailingZeros(write.mask());
            long value = Bytes.extract(address, size, write.value());
            registerWrites.performed(thread, address, size, value);
        }
    }

    /// DPA-OPM-3: whether the NIC may come to see the last write to a granule. It may if it sees
    /// all that has to come first; granules that have to come before one another come together, by
    /// the step of the first of them.
    public boolean canShow(int granule) {
        return Visibility.together(this, granule) != null;
    }

    /// DPA-OPM-3: the NIC sees the last write to a granule.
    public void show(int granule) {
        BitSet together = Objects.requireNonNull(Visibility.together(this, granule));
        for (int one = together.nextSetBit(0); one >= 0; one = together.nextSetBit(one + 1)) {
            showOne(one);
        }
    }

    private void showOne(int granule) {
        contents.show(granule);
        for (int i = 0; i < threads.length; i++) {
            threads[i] = threads[i].show(granule);
        }
    }

    /// DPA-OPM-6: a cached copy vanishes.
    public void vanish(int thread, int index) {
        threads[thread] = threads[thread].withoutCopy(index);
    }

    /// Whether a cached copy is what memory holds: if it vanishes, its thread loads no other value.
    public boolean isFresh(int thread, int index) {
        Copy copy = threads[thread].copies()[index];
        return copy.value() == contents.external[copy.granule()];
    }

    // NIC and host

    /// DPA-OPM-11: the NIC reads DPA memory.
    public long nicRead(int address, int sizeBytes) {
        return Bytes.extract(address, sizeBytes, contents.seen[Bytes.granule(address)]);
    }

    /// DPA-OPM-10: the NIC writes DPA memory, and sees the granule as it is then.
    public void nicWrite(int address, int sizeBytes, long value) {
        int granule = Bytes.granule(address);
        contents.writeMemory(granule, Bytes.place(address, value), Bytes.mask(address, sizeBytes));
        clearReservations(granule, -1);
        showOne(granule);
    }

    /// DPA-OPM-11: external memory as NIC and host read it.
    public long externalRead(int address, int sizeBytes) {
        return Bytes.extract(address, sizeBytes, contents.external[Bytes.granule(address)]);
    }

    /// DPA-OPM-10: NIC and host write external memory directly.
    public void externalWrite(int address, int sizeBytes, long value) {
        int cell = Bytes.granule(address);
        contents.external[cell] =
                Bytes.merge(
                        contents.external[cell],
                        Bytes.place(address, value),
                        Bytes.mask(address, sizeBytes));
    }

    /// Posts an operation of the NIC.
    void post(Posted operation) {
        posted = Arrays.copyOf(posted, posted.length + 1);
        posted[posted.length - 1] = operation;
    }

    /// The operations of the NIC that are not done, those of a queue in their order.
    Posted[] posted() {
        return posted;
    }

    /// DPA-OPM-10: does one write of a posted operation.
    void performPosted(int index, int choice) {
        Posted.NicWrite write = posted[index].writes()[choice];
        posted = Posted.without(posted, index, choice);
        if (write.external()) {
            externalWrite(write.address(), write.sizeBytes(), write.value());
        } else {
            nicWrite(write.address(), write.sizeBytes(), write.value());
        }
    }

    /// How often a doorbell has arrived.
    public int arrived(int doorbell) {
        return arrivals.counts()[doorbell];
    }

    /// Whether a thread has issued writes of that kind that are not performed.
    public boolean hasPending(int thread, Kind kind) {
        for (Write write : threads[thread].pending()) {
            if (write.kind() == kind) {
                return true;
            }
        }
        return false;
    }

    /// Whether the return of a thread to its host has to wait. It comes where a doorbell would
    /// come: after what the thread has written back or fenced before.
    public boolean isReturnBlocked(int thread) {
        ThreadMemory own = threads[thread];
        return !own.hold(own.boundsOf(Kind.OUTBOX, profile));
    }

    /// The doorbells that have arrived.
    Arrivals arrivals() {
        return arrivals;
    }

    // Ends

    /// DPA-OPM-2, DPA-OPM-3: whether something has to happen by itself before the run can end. What
    /// is certain only because something else requires it needs no look: then that is left.
    public boolean hasMandatory() {
        if (posted.length > 0) {
            return true;
        }
        for (ThreadMemory thread : threads) {
            for (Write write : thread.pending()) {
                if (thread.log().mustPerform(write)) {
                    return true;
                }
            }
            for (Unseen one : thread.unseen()) {
                if (thread.log().mustShow(one)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Adds all that can matter from now on.
    void digest(Digest digest, Digest scratch) {
        contents.digest(digest);
        for (ThreadMemory thread : threads) {
            thread.digest(digest, scratch);
        }
        arrivals.digest(digest);
        digest.add(posted.length);
        for (Posted operation : posted) {
            operation.digest(digest);
        }
    }
}
