package dev.outboard.dpa.nic;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.Observer.WordRole;
import dev.outboard.dpa.nic.SendingQueue.Step;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpa.nic.layout.Syndrome;
import dev.outboard.dpa.trace.NicTimeline;

/// The send queue of a queue pair, or one by itself: executes its entries one after the other, each
/// when the one before it is done.
final class SendQueue {
    private final SendingQueue owner;
    private final QueuePair.Send queue;
    private final int actor;
    private final Shared shared;
    private final WorkRequest request;
    private final Completion completion;
    private Wire wire = message -> Acknowledge.NO_ANSWER;

    private final SendIndex index;

    /// While the request at the index waits for its answer, or for a word of memory.
    private boolean pending;

    private long token;

    SendQueue(
            SendingQueue owner,
            QueuePair.Send queue,
            QueuePair.User user,
            WorkRequest request,
            Shared shared) {
        this.owner = owner;
        this.queue = queue;
        actor = user.thread().actor();
        this.shared = shared;
        this.request = request;
        index = new SendIndex(shared.counters());
        int number = owner.number();
        completion = new Completion(number, user.userIndex());
        long ringBytes = (long) SendEntry.BYTES << queue.logBlocks();
        shared.observer().role(queue.ring(), ringBytes, WordRole.ENTRY, number);
        shared.observer().doorbellOf(number, Doorbell.source(AddressMap.SEND_DOORBELL, number));
    }

    void connect(Wire to) {
        wire = to;
    }

    SendIndex index() {
        return index;
    }

    Step step(Nic nic) {
        if (pending) {
            return request.isLocal() ? perform(nic) : ask(nic);
        }
        int blocks = index.blocks();
        if (blocks == 0) {
            return Step.IDLE;
        }
        int next = index.next();
        if (owner.isInError()) {
            NicTimeline.of(nic).skip(owner.number(), next);
            owner.flushReceives(nic);
            finish(nic, request.skip(nic, next, blocks), Syndrome.FLUSHED);
            return Step.DONE;
        }
        token = shared.nextToken();
        Syndrome parsed = request.parse(nic, next, blocks, owner.number());
        Message message = request.message();
        NicTimeline.of(nic).begin(owner.number(), next, message.operation(), message.byteCount());
        request.tellPosted(actor, token);
        if (parsed != Syndrome.SUCCESS || message.opcode() == SendEntry.NOP) {
            finish(nic, request.blocks(), parsed);
            return Step.DONE;
        }
        if (request.isLocal()) {
            return perform(nic);
        }
        request.load(nic);
        return ask(nic);
    }

    /// Executes an entry that needs no peer.
    private Step perform(Nic nic) {
        NicTimeline.of(nic).resume(owner.number());
        pending = !owner.isInError() && request.local().waits(nic);
        if (pending) {
            NicTimeline.of(nic).pause();
            return Step.WAITING;
        }
        Syndrome done = owner.isInError() ? Syndrome.FLUSHED : request.local().perform(nic);
        finish(nic, request.blocks(), done);
        return Step.DONE;
    }

    private Step ask(Nic nic) {
        NicTimeline.of(nic).resume(owner.number());
        Acknowledge answer = wire.carry(request.message());
        pending = answer == Acknowledge.NOT_YET;
        if (pending) {
            NicTimeline.of(nic).pause();
            return Step.WAITING;
        }
        if (answer == Acknowledge.DONE) {
            request.deliver(nic);
        }
        finish(nic, request.blocks(), answer.syndrome());
        return Step.DONE;
    }

    /// It is destroyed: the NIC is done with what it has begun.
    void remove(Nic nic) {
        if (pending) {
            pending = false;
            shared.observer().completed(nic.actor(), token);
        }
    }

    /// DPA-FXQ-9: tells how the entry ended; an error is told in any case, and ends the queue.
    private void finish(Nic nic, int blocks, Syndrome syndrome) {
        shared.observer().completed(nic.actor(), token);
        boolean failed = syndrome != Syndrome.SUCCESS;
        if (failed) {
            index.fail();
            completion.failed(CompletionEntry.REQUEST_ERROR, index.next(), syndrome);
        } else {
            completion.of(CompletionEntry.REQUEST, index.next(), request.message().byteCount());
        }
        index.advance(blocks);
        boolean told = failed || request.isSignalled();
        if (told && !queue.completions().add(nic, completion)) {
            failed = true;
        }
        if (failed) {
            owner.fail(nic);
        }
        NicTimeline.of(nic).end(owner.number(), syndrome.code());
    }
}
