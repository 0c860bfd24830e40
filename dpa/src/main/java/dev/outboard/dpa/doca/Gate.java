package dev.outboard.dpa.doca;

import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.flexio.KernelStatus.Wait;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.WaitSegment;
import dev.outboard.dpacc.DpaAddr;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// DPA-KL-3: where a kernel waits for its event: a send queue of the host, with an entry that waits
/// and one that completes. The completion has the number of the gate as its user index.
final class Gate {
    private static final int LOG_BLOCKS = 2;
    private static final int MASK = (1 << LOG_BLOCKS) - 1;
    private static final int SEND_BYTES = SendEntry.BYTES << LOG_BLOCKS;
    private static final int LINE = 64;

    /// In place of a rank.
    private static final int LAUNCH = -1;

    /// In DPA memory: how many threads of the kernel have not ended.
    final DpaAddr remaining;

    private final FlexioQp queue;
    private final long ring;
    private int posted;
    private @Nullable Launch launch;
    private Optional<DpaEvent> wait = Optional.empty();
    private long threshold;

    Gate(FlexioProcess process, int number, FlexioCq completions) {
        FlexioBuffer memory =
                FlexioBuffer.create(
                        process, "gate " + number, ExternalKind.HOST, SEND_BYTES + 2 * LINE);
        ring = memory.address().value();
        queue =
                FlexioQp.create(
                        process,
                        new FlexioQp.Attributes(
                                new FlexioQp.Send(memory.address(), LOG_BLOCKS, completions),
                                new FlexioQp.Receive(
                                        memory.address().plus(SEND_BYTES),
                                        0,
                                        memory.address().plus(SEND_BYTES + LINE),
                                        completions),
                                number));
        queue.connect(queue);
        remaining = process.heap().zeros(LINE);
    }

    /// The kernel that waits at it, or has passed it and not ended.
    Launch launch() {
        return Objects.requireNonNull(launch, "nothing was launched");
    }

    /// A kernel waits at it from now on.
    ///
    /// @param event what it waits for, if for anything
    /// @param threshold the least value, unsigned
    void hold(FlexioProcess process, Launch launched, Optional<DpaEvent> event, long threshold) {
        synchronized (this) {
            launch = launched;
            wait = event;
            this.threshold = threshold;
        }
        event.ifPresent(DpaEvent::use);
        launched.completion.ifPresent(completion -> completion.event().use());
        process.onHost(host -> {
            if (event.isPresent() && threshold != 0) {
                postWait(host, event.get(), threshold);
            }
            control(host, SendEntry.NOP, 1, SendEntry.COMPLETE_ALWAYS);
            return ++posted;
        });
        queue.ring(posted);
    }

    private void postWait(MemoryAccess host, DpaEvent event, long threshold) {
        long entry = control(host, SendEntry.WAIT_ON_DATA, 3, SendEntry.COMPLETE_ON_ERROR);
        WaitSegment.write(
                host,
                entry + SendEntry.SEGMENT_BYTES,
                WaitSegment.BIGGER,
                false,
                event.gateKey(),
                event.address());
        WaitSegment.writeData(host, entry + 2 * SendEntry.SEGMENT_BYTES, threshold - 1, -1);
        posted++;
    }

    private long control(MemoryAccess host, int opcode, int segments, int completion) {
        long entry = ring + (long) (posted & MASK) * SendEntry.BYTES;
        SendEntry.writeControl(host, entry, posted, opcode, queue.number(), segments, completion);
        return entry;
    }

    /// The kernel waits no more.
    synchronized void pass() {
        launch().isBegun = true;
        wait.ifPresent(DpaEvent::release);
        wait = Optional.empty();
    }

    /// The kernel has ended: the gate is for another one.
    synchronized void free() {
        launch = null;
    }

    /// The kernel that waits at it, or has passed it and not ended, if there is one.
    synchronized Optional<Launch> occupant() {
        return Optional.ofNullable(launch);
    }

    /// What the kernel waits for, if it waits.
    synchronized Optional<Wait> waiting() {
        return wait.map(event -> new Wait(LAUNCH, event.handle(), event.peek(), threshold, -1));
    }
}
