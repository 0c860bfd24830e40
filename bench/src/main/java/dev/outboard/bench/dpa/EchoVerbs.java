package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.fabric.Access;
import dev.outboard.fabric.Completion;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.CompletionStatus;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.MemoryRegion;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.fabric.QueuePairAttributes;
import dev.outboard.fabric.ReceiveRequest;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// An end of an echo with nothing but verbs, which sleeps until something comes. One thread uses
/// it.
final class EchoVerbs implements EchoEnd {
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain domain;
    private final CompletionQueue completions;
    private final MemoryRegion region;
    private final QueuePair pair;
    private final ReceiveRequest receive = new ReceiveRequest();
    private final Completion completion = new Completion();

    /// One for each buffer, and those that are to be sent next.
    private final List<SendRequest> requests = new ArrayList<>();

    private final List<SendRequest> next = new ArrayList<>();

    EchoVerbs(Device device) {
        domain = device.allocateProtectionDomain();
        completions = device.createCompletionQueue(4 * EchoKernels.DEPTH);
        region =
                domain.register(
                        arena.allocate((long) EchoKernels.DEPTH * EchoKernels.LINE, 4096),
                        Access.LOCAL_WRITE);
        pair =
                domain.createQueuePair(
                        QueuePairAttributes.of(
                                completions, 2 * EchoKernels.DEPTH, EchoKernels.DEPTH));
        for (int slot = 0; slot < EchoKernels.DEPTH; slot++) {
            requests.add(
                    new SendRequest()
                            .send()
                            .payload(region, at(slot), EchoKernels.LINE)
                            .signaled(false));
        }
    }

    private static long at(int slot) {
        return (long) slot * EchoKernels.LINE;
    }

    private void post(int slot) {
        pair.post(receive.id(slot).buffer(region, at(slot), EchoKernels.LINE));
    }

    @Override
    public int number() {
        return pair.number();
    }

    /// All buffers are posted then.
    @Override
    public void connect(EchoPeer peer) {
        peer.changes().forEach(pair::modify);
        for (int slot = 0; slot < EchoKernels.DEPTH; slot++) {
            post(slot);
        }
    }

    /// Sends that many messages.
    void send(int count) {
        next.clear();
        next.addAll(requests.subList(0, count));
        sendNext();
    }

    private void sendNext() {
        for (int sent = 0; sent < next.size(); ) {
            sent += pair.post(sent == 0 ? next : next.subList(sent, next.size()));
        }
    }

    /// Takes messages that have come.
    ///
    /// @param answers whether each is sent back
    /// @return how many; 0 if nothing comes for a while
    int take(boolean answers) {
        if (!hasMessage()) {
            return 0;
        }
        next.clear();
        int count = 0;
        do {
            int slot = (int) completion.id();
            next.add(requests.get(slot));
            count++;
            post(slot);
        } while (count < EchoKernels.DEPTH && poll());
        if (answers) {
            sendNext();
        }
        return count;
    }

    private boolean hasMessage() {
        if (poll()) {
            return true;
        }
        completions.requestNotification(false);
        if (poll()) {
            return true;
        }
        completions.await(SLICE_NANOS);
        return poll();
    }

    private boolean poll() {
        if (!completions.poll(completion)) {
            return false;
        }
        if (completion.status() != CompletionStatus.SUCCESS) {
            throw new MeasurementException(completion.toString());
        }
        return true;
    }

    @Override
    public void close() {
        pair.close();
        region.close();
        completions.close();
        domain.close();
        arena.close();
    }
}
