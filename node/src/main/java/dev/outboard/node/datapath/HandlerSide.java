package dev.outboard.node.datapath;

import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioMsix;
import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.flexio.FlexioWindow;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.CompletionQueue.Arming;
import dev.outboard.dpa.nic.CompletionQueue.Option;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.naa.MrspMessage;

/// What a handler has in its process: a queue pair whose completions activate it, and the
/// descriptor of the client, with everything in it but the regions.
final class HandlerSide {
    /// How many regions a client may have.
    static final int MOST_REGIONS = MrspMessage.MAX_REGIONS;

    /// The binary logarithm of the entries of the send queue: two answers with two WRITEs for each
    /// region, and what the host sends.
    private static final int LOG_SENDS = 10;

    private static final int SCRATCH_BYTES = 512 << 10;
    private static final int LINE = 64;

    private final FlexioProcess process;
    private final FlexioHeap heap;
    private final FlexioEventHandler handler;
    private final FlexioQp pair;
    private final DpaAddr descriptor;
    private final DpaAddr outgoing;
    private final DpaAddr mail;
    private final FlexioMsix interrupt;

    /// Makes it, and lets completions activate the handler.
    HandlerSide(FlexioProcess process, HandlerProgram program) {
        this.process = process;
        heap = process.heap();
        handler =
                FlexioEventHandler.create(
                        process, program.handler(), FlexioEventHandler.Attributes.DEFAULT);
        descriptor = heap.zeros(ClientDescriptor.region(MOST_REGIONS));
        FlexioCq completions = completions();
        pair = pair(completions);
        set(ClientDescriptor.OUTBOX, FlexioOutbox.create(process, process.uar()).number());
        set(ClientDescriptor.WINDOW, FlexioWindow.create(process, process.domain()).number());
        set(ClientDescriptor.SCRATCH, heap.allocate(SCRATCH_BYTES).value(), SCRATCH_BYTES);
        outgoing = heap.zeros(ClientDescriptor.MESSAGE_BYTES);
        set(
                ClientDescriptor.OUTGOING,
                outgoing.value(),
                key(outgoing, ClientDescriptor.MESSAGE_BYTES));
        interrupt = FlexioMsix.create(process);
        mail = heap.zeros(ClientDescriptor.DEPTH * ClientDescriptor.MAIL_BYTES);
        set(ClientDescriptor.HOST_BELL, bell(interrupt), mail.value());
        handler.run(descriptor.value());
    }

    private FlexioCq completions() {
        int log = 1 + LOG_SENDS;
        DpaAddr ring = heap.zeros(CompletionEntry.BYTES << log);
        DpaAddr taken = heap.zeros(LINE);
        FlexioCq made =
                FlexioCq.create(
                        process, FlexioCq.Attributes.of(ring, log, taken).activating(handler));
        set(ClientDescriptor.COMPLETIONS, made.number(), ring.value(), taken.value(), log);
        return made;
    }

    private FlexioQp pair(FlexioCq completions) {
        DpaAddr sends = heap.zeros(SendEntry.BYTES << LOG_SENDS);
        int bytes = ClientDescriptor.DEPTH * ClientDescriptor.MESSAGE_BYTES;
        DpaAddr buffers = heap.zeros(bytes);
        DpaAddr receives =
                heap.copyFromHost(
                        DataSegment.ring(
                                ClientDescriptor.DEPTH,
                                ClientDescriptor.MESSAGE_BYTES,
                                key(buffers, bytes),
                                buffers.value(),
                                ClientDescriptor.MESSAGE_BYTES));
        DpaAddr posted =
                heap.copyFromHost(new byte[] {0, 0, 0, ClientDescriptor.DEPTH, 0, 0, 0, 0});
        FlexioQp made =
                FlexioQp.create(
                        process,
                        new FlexioQp.Attributes(
                                new FlexioQp.Send(sends, LOG_SENDS, completions),
                                new FlexioQp.Receive(
                                        receives,
                                        Integer.numberOfTrailingZeros(ClientDescriptor.DEPTH),
                                        posted,
                                        completions),
                                0));
        made.purpose("a client of the node");
        set(ClientDescriptor.QUEUE, made.number(), sends.value(), LOG_SENDS);
        set(
                ClientDescriptor.RECEIVE_RECORD,
                posted.value(),
                ClientDescriptor.DEPTH,
                buffers.value());
        return made;
    }

    private int bell(FlexioMsix interrupt) {
        DpaAddr ring = heap.zeros(CompletionEntry.BYTES);
        return FlexioCq.create(
                        process,
                        FlexioCq.Attributes.of(ring, 0, heap.zeros(LINE))
                                .with(Arming.ALWAYS)
                                .with(Option.IGNORES_OVERRUN)
                                .interrupting(interrupt))
                .number();
    }

    private int key(DpaAddr block, int bytes) {
        return FlexioMkey.create(process, process.domain(), block, bytes, Access.LOCAL_WRITE)
                .number();
    }

    /// Sets words of the descriptor.
    void set(int word, long... values) {
        heap.copyWordsIn(descriptor.plus(word), values);
    }

    /// Makes what is behind the DPA reachable for the handler.
    void reach(ClientFunction function) {
        function.registers(process)
                .ifPresent(registers ->
                        set(ClientDescriptor.REGISTERS, registers.address(), registers.key()));
        long[] codes = new long[2];
        function.functionCodes().forEach(code -> codes[code / Long.SIZE] |= 1L << code);
        set(ClientDescriptor.FUNCTION_CODES, codes);
    }

    FlexioProcess process() {
        return process;
    }

    /// The queue pair of the client.
    FlexioQp pair() {
        return pair;
    }

    /// Where the descriptor is.
    DpaAddr descriptor() {
        return descriptor;
    }

    /// Where what the host sends has to be.
    DpaAddr outgoing() {
        return outgoing;
    }

    /// Where what the handler leaves to the host is.
    DpaAddr mail() {
        return mail;
    }

    /// What tells the host of it.
    FlexioMsix interrupt() {
        return interrupt;
    }
}
