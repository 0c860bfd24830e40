package dev.outboard.node.datapath;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioEventHandler;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioHeap;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioMsix;
import dev.outboard.dpa.flexio.FlexioOutbox;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.flexio.FlexioWindow;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.nic.CompletionQueue.Arming;
import dev.outboard.dpa.nic.CompletionQueue.Option;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.MrspMessage;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.server.ClientQueues;
import dev.outboard.naa.server.NaaServerContext;
import dev.outboard.naa.server.RoutineRegion;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/// What one client has on the DPA: a process of its own, whose handler is activated by the
/// completions of the client's queue pair. So whatever a handler does to its process, other clients
/// do not notice.
final class DpaClient implements ClientQueues {
    /// How many regions a client may have.
    private static final int MOST_REGIONS = MrspMessage.MAX_REGIONS;

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
    private final HostEnd end;
    private final ClientFunction function;
    private long[] counted = new long[3];

    private DpaClient(FlexioProcess process, HandlerProgram program, ClientFunction function) {
        this.process = process;
        this.function = function;
        process.runtime(List::of, () -> {});
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
        DpaAddr outgoing = heap.zeros(ClientDescriptor.MESSAGE_BYTES);
        set(
                ClientDescriptor.OUTGOING,
                outgoing.value(),
                key(outgoing, ClientDescriptor.MESSAGE_BYTES));
        FlexioMsix interrupt = FlexioMsix.create(process);
        DpaAddr mail = heap.zeros(ClientDescriptor.DEPTH * ClientDescriptor.MAIL_BYTES);
        set(ClientDescriptor.HOST_BELL, bell(interrupt), mail.value());
        end = new HostEnd(process, program.send(), pair, descriptor, outgoing, mail, interrupt);
        handler.run(descriptor.value());
    }

    /// Makes it, and has the connection manager connect its queue pair.
    ///
    /// @param function what its calls reach behind the DPA
    static DpaClient create(
            HostProcess host,
            DpaDevice device,
            HandlerProgram program,
            ProtectionDomain domain,
            ConnectionId id,
            ClientFunction function) {
        FlexioProcess process =
                FlexioProcess.create(
                        host,
                        device,
                        program.app(),
                        FlexioProcess.Attributes.DEFAULT.withFabricDomain(domain));
        try {
            DpaClient made = new DpaClient(process, program, function);
            made.pair.connectBy(id);
            return made;
        } catch (RuntimeException e) {
            process.close();
            throw e;
        }
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

    private void set(int word, long... values) {
        heap.copyWordsIn(descriptor.plus(word), values);
    }

    @Override
    public QueuePair pair() {
        return end.pair();
    }

    @Override
    public CompletionQueue queue() {
        return end;
    }

    /// The handler finds the regions in the descriptor, whose windows it opens.
    @Override
    public void granted(NaaServerContext client) {
        Dialect spoken = client.dialect().orElseThrow();
        if (spoken != Dialect.UPSTREAM_2026) {
            throw new IllegalStateException(
                    "the client speaks %s; a handler of the DPA speaks %s"
                            .formatted(spoken, Dialect.UPSTREAM_2026));
        }
        List<RoutineRegion> regions = client.parameters();
        List<PeerRegion> theirs = client.peerRegions();
        function.registers(process)
                .ifPresent(registers ->
                        set(ClientDescriptor.REGISTERS, registers.address(), registers.key()));
        set(ClientDescriptor.REGIONS, regions.size());
        for (int i = 0; i < regions.size(); i++) {
            describe(i, regions.get(i), theirs.get(i));
        }
        end.granted();
    }

    private void describe(int index, RoutineRegion region, PeerRegion peer) {
        long key = 0;
        long address = 0;
        if (region.size() > 0) {
            MemorySegment pages =
                    region.pages()
                            .orElseThrow(() ->
                                    new IllegalStateException(
                                            "region %d of the client shares memory with another one; a handler of the DPA takes regions of their own"
                                                    .formatted(index)));
            FlexioBuffer buffer =
                    FlexioBuffer.of(process, "region " + index, ExternalKind.HOST, pages);
            key =
                    FlexioMkey.create(
                                    process.domain(),
                                    buffer,
                                    0,
                                    pages.byteSize(),
                                    Access.LOCAL_WRITE)
                            .number();
            address = buffer.address().value();
        }
        set(
                ClientDescriptor.region(index),
                key,
                address,
                region.size(),
                region.flags(),
                peer.address(),
                peer.remoteKey(),
                function.lineAddress(region));
    }

    @Override
    public boolean isElsewhere() {
        return true;
    }

    @Override
    public long answered() {
        return counted()[1];
    }

    @Override
    public Map<String, Long> counters() {
        long[] now = counted();
        return Map.of("dpa.rpcs", now[0], "dpa.answers", now[1], "dpa.bytes.sent", now[2]);
    }

    /// Calls, answers and bytes of results; of a process that has ended, as they were last seen.
    private synchronized long[] counted() {
        if (process.errorState().isRunning()) {
            try {
                counted = heap.copyWordsOut(descriptor.plus(ClientDescriptor.CALLS), 3);
            } catch (FlexioException hasJustEnded) {
                // That is all it will ever count.
            }
        }
        return counted;
    }

    @Override
    public void close() {
        long[] _ = counted();
        process.close();
        function.close();
    }
}
