package dev.outboard.dpa.machine.run;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.ExternalKey;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Fault;
import dev.outboard.dpa.machine.Grants;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.machine.memory.DpaMemory;
import dev.outboard.dpa.machine.memory.FaultSignal;
import java.lang.foreign.MemorySegment;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// DPA-FXW-4: what one thread may reach: the memory of its process, external memory through its
/// window, and its outbox. It decides which accesses are faults, for all run modes alike; what an
/// access that is none does is up to them. Window and outbox belong to the thread and stay
/// configured from one activation to the next.
public final class AccessPort {
    private static final int NO_UAR = -1;

    /// That of an outbox that is none: no queue has it.
    private static final int UAR_OF_NOBODY = -2;

    /// What a configuration that is refused leaves in [#errno].
    private static final int INVALID = 22;

    private final ProcessState process;
    private final int thread;
    private @Nullable ExternalKey window;

    /// The protection domain of the window.
    private int domain;

    /// Whose queues the outbox rings; [#NO_UAR] if none is configured.
    private int uar = NO_UAR;

    /// DPA-FXM-3: what the latest call that failed has left.
    private int errno;

    private long stackPointer;

    /// Bytes of the frames of its calls.
    private int frames;

    /// What its code keeps for the next activation.
    private @Nullable Object kept;

    /// The port of that thread, with nothing configured.
    public AccessPort(ProcessState process, int thread) {
        this.process = process;
        this.thread = thread;
        stackPointer = stackTop();
    }

    /// The process that the thread belongs to.
    public ProcessState process() {
        return process;
    }

    /// What those who run code for the thread have kept there, so that the next activation need not
    /// make it again; null at first.
    public @Nullable Object kept() {
        return kept;
    }

    /// Keeps something for the next activation.
    public void keep(Object kept) {
        this.kept = kept;
    }

    private long stackTop() {
        return AddressMap.stack(thread) + process.memory().stackBytes();
    }

    /// DPA-HW-9: an activation begins with an empty stack, whose content is arbitrary.
    public void begin() {
        stackPointer = stackTop();
        frames = 0;
        if (process.poison()) {
            process.memory().poisonStack(thread);
        }
    }

    /// Takes bytes from the stack.
    public long allocateStack(long lengthBytes) {
        if (lengthBytes < 0) {
            throw new IllegalArgumentException("A stack gives 0 bytes or more, not " + lengthBytes);
        }
        long free = free();
        if (lengthBytes > free) {
            throw new FaultSignal(
                    Fault.STACK_OVERFLOW,
                    "%d bytes more were asked for than the %d that are free of %d"
                            .formatted(lengthBytes - free, free, process.memory().stackBytes()));
        }
        stackPointer = (stackPointer - lengthBytes) & ~7L;
        return stackPointer;
    }

    /// The lowest address that was taken from the stack.
    public long stackPointer() {
        return stackPointer;
    }

    /// Gives back what was taken since the stack pointer was that.
    public void releaseStack(long stackPointer) {
        this.stackPointer = stackPointer;
    }

    private long free() {
        return stackPointer - AddressMap.stack(thread) - frames;
    }

    /// DPA-HW-9: a call takes a frame of the stack. Frames have no addresses, only a size.
    public void enterFrame(int lengthBytes) {
        if (lengthBytes > free()) {
            throw new FaultSignal(
                    Fault.STACK_OVERFLOW,
                    "the calls are too deep: their frames take %d of the %d bytes of the stack"
                            .formatted(frames, process.memory().stackBytes()));
        }
        frames += lengthBytes;
    }

    /// How many bytes the frames take.
    public int frames() {
        return frames;
    }

    /// Some frames are left.
    public void frames(int frames) {
        this.frames = frames;
    }

    /// DPA-FXW-3: makes a window the current one, and a key its own.
    ///
    /// @return false if the process has no such window or key, and all stays as it is
    public boolean configureWindow(int number, int key) {
        OptionalInt found = process.grants().domainOfWindow(number);
        if (found.isEmpty()) {
            return refuse();
        }
        return configure(key, found.getAsInt());
    }

    /// DPA-ERR-7: makes a key the current one of the window.
    ///
    /// @return false if the process has no such key, and the window stays as it is
    public boolean configureWindow(int key) {
        return configure(key, domain);
    }

    /// DPA-FXW-7: a key belongs to the protection domain of its window.
    private boolean configure(int key, int ofWindow) {
        ExternalKey found = process.external().key(key).orElse(null);
        if (found == null || found.domain() != ofWindow) {
            return refuse();
        }
        window = found;
        domain = ofWindow;
        return true;
    }

    private boolean refuse() {
        errno = INVALID;
        return false;
    }

    /// DPA-FXM-3: what the latest call that was refused has left, or 0.
    public int errno() {
        return errno;
    }

    /// Forgets that.
    public void resetErrno() {
        errno = 0;
    }

    /// What the thread prints to.
    public Messages messages() {
        return process.messages();
    }

    /// Whose queues its doorbells may be for.
    public int uar() {
        return uar;
    }

    /// What kind of memory is behind the window. Without a window it is that of the host, whose
    /// accesses are faults.
    public ExternalKind windowKind() {
        ExternalKey key = window;
        return key == null ? ExternalKind.HOST : key.region().kind();
    }

    /// DPA-ERR-9: opens the outbox page.
    ///
    /// @return false if the process has no such outbox
    public boolean configureOutbox(int outbox) {
        OptionalInt found = process.grants().uarOfOutbox(outbox);
        if (found.isEmpty()) {
            return refuse();
        }
        uar = found.getAsInt();
        return true;
    }

    /// DPA-FXO-5: the same for another UAR of the process than that of the outbox.
    ///
    /// @return false if the process has no such outbox or UAR
    public boolean configureOutbox(int outbox, int other) {
        Grants grants = process.grants();
        if (grants.uarOfOutbox(outbox).isEmpty() || !grants.hasUar(other)) {
            return refuse();
        }
        uar = other;
        return true;
    }

    /// DPA-FXO-5: opens the outbox page without looking whether the process has that outbox.
    public void configureOutboxFast(int outbox) {
        uar = process.grants().uarOfOutbox(outbox).orElse(UAR_OF_NOBODY);
    }

    /// DPA-FXW-11: the registers behind an address that [#reach] has allowed; null if memory is
    /// behind it.
    public @Nullable ExternalRegion registers(long address) {
        ExternalKey key = window;
        if (key == null || !AddressMap.isWindow(address) || !isMmio(key.region())) {
            return null;
        }
        return key.region();
    }

    private static boolean isMmio(ExternalRegion region) {
        return region.kind() == ExternalKind.MMIO;
    }

    /// The bytes behind an address of DPA memory or of a window.
    ///
    /// @throws FaultSignal if the thread may not access them like this
    public MemorySegment reach(long address, int lengthBytes, boolean store) {
        DpaMemory.checkAligned(address, lengthBytes, store);
        if (AddressMap.isWindow(address)) {
            return key(address, lengthBytes, store).region().bytes();
        }
        if (AddressMap.isOutbox(address)) {
            boolean early = store && uar == NO_UAR;
            throw new FaultSignal(
                    early ? Fault.OUTBOX_NOT_CONFIGURED : Fault.BAD_OUTBOX_ACCESS,
                    address,
                    lengthBytes,
                    "");
        }
        checkLive(address, lengthBytes, store);
        return process.memory().reach(address, lengthBytes, store);
    }

    /// DPA-ERR-10: the bytes that an atomic reaches, in DPA memory only.
    ///
    /// @throws FaultSignal if the thread may not access them like this
    public MemorySegment reachAtomic(long address, int lengthBytes) {
        DpaMemory.checkAligned(address, lengthBytes, true);
        if (AddressMap.isWindow(address)) {
            throw new FaultSignal(Fault.ATOMIC_ON_WINDOW, address, lengthBytes, "");
        }
        return reach(address, lengthBytes, true);
    }

    /// Where an address that [#reach] has allowed lies in its bytes.
    public long offset(long address) {
        ExternalKey key = window;
        if (key != null && AddressMap.isWindow(address)) {
            return address - key.region().address();
        }
        return DpaMemory.offset(address);
    }

    /// DPA-FXO-6, DPA-FXO-8: checks that an 8-byte store to the outbox page rings a doorbell.
    ///
    /// @return the register
    /// @throws FaultSignal if it does not
    public int doorbell(long address) {
        DpaMemory.checkAligned(address, Long.BYTES, true);
        long register = address - AddressMap.OUTBOX;
        if (uar == NO_UAR) {
            throw new FaultSignal(Fault.OUTBOX_NOT_CONFIGURED, address, Long.BYTES, "");
        }
        if (!Doorbell.isRegister(register)) {
            throw new FaultSignal(
                    Fault.BAD_OUTBOX_ACCESS,
                    address,
                    Long.BYTES,
                    "the outbox has no register at 0x%x".formatted(register));
        }
        return (int) register;
    }

    private ExternalKey key(long address, int lengthBytes, boolean store) {
        ExternalKey key = window;
        if (key == null) {
            throw new FaultSignal(Fault.WINDOW_NOT_CONFIGURED, address, lengthBytes, "");
        }
        if (!key.allows(address, lengthBytes, store)) {
            throw new FaultSignal(
                    Fault.WINDOW_DENIED, address, lengthBytes, "the window has " + key);
        }
        ExternalRegion region = key.region();
        if (isMmio(region)) {
            Registers.check(region, region.device().orElseThrow(), address, lengthBytes);
        }
        return key;
    }

    private void checkLive(long address, int lengthBytes, boolean store) {
        if (process.options().storage().strictHeap()
                && AddressMap.isHeap(address)
                && process.memory().holds(address, lengthBytes)
                && !process.heap().isLive(address, lengthBytes)) {
            throw new FaultSignal(
                    store ? Fault.BAD_STORE : Fault.BAD_LOAD,
                    address,
                    lengthBytes,
                    "in no live block of the heap");
        }
    }
}
