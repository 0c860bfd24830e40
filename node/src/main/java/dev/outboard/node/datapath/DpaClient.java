package dev.outboard.node.datapath;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.CompletionQueue;
import dev.outboard.fabric.ConnectionId;
import dev.outboard.fabric.ProtectionDomain;
import dev.outboard.fabric.QueuePair;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.PeerRegion;
import dev.outboard.naa.server.ClientQueues;
import dev.outboard.naa.server.NaaServerContext;
import dev.outboard.naa.server.RegionAllocator;
import dev.outboard.naa.server.RoutineRegion;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What one client has on the DPA: a process of its own, whose handler is activated by the
/// completions of the client's queue pair. So whatever a handler does to its process, other clients
/// do not notice.
final class DpaClient implements ClientQueues {
    private final FlexioProcess process;
    private final HandlerSide side;
    private final HostEnd end;
    private final ClientFunction function;
    private final Runnable whenClosed;
    private final ClientMemory memory;
    private long[] counted = new long[4];

    private DpaClient(
            FlexioProcess process,
            HandlerProgram program,
            ClientFunction function,
            Runnable whenClosed) {
        this.process = process;
        this.function = function;
        this.whenClosed = whenClosed;
        process.runtime(List::of, () -> {});
        side = new HandlerSide(process, program);
        memory = new ClientMemory(process, !function.reachesRegions());
        end = new HostEnd(side, program.send());
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
            ClientFunction function,
            Runnable whenClosed) {
        FlexioProcess process =
                FlexioProcess.create(
                        host,
                        device,
                        program.app(),
                        FlexioProcess.Attributes.DEFAULT.withFabricDomain(domain));
        try {
            DpaClient made = new DpaClient(process, program, function, whenClosed);
            made.side.pair().outliveFault();
            made.side.pair().connectBy(id);
            return made;
        } catch (RuntimeException e) {
            process.close();
            throw e;
        }
    }

    @Override
    public QueuePair pair() {
        return end.pair();
    }

    @Override
    public CompletionQueue queue() {
        return end;
    }

    @Override
    public RegionAllocator allocator() {
        return memory;
    }

    /// The handler finds the regions in the descriptor.
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
        side.reach(function);
        side.set(ClientDescriptor.REGIONS, regions.size());
        for (int i = 0; i < regions.size(); i++) {
            describe(i, regions.get(i), theirs.get(i));
        }
        end.granted();
    }

    private void describe(int index, RoutineRegion region, PeerRegion peer) {
        Optional<ClientMemory.Place> place =
                region.size() == 0 ? Optional.empty() : Optional.of(memory.place(region));
        side.set(
                ClientDescriptor.region(index),
                place.map(ClientMemory.Place::key).orElse(0),
                place.map(ClientMemory.Place::address).orElse(0L),
                region.size(),
                region.flags(),
                peer.address(),
                peer.remoteKey(),
                place.map(at -> function.lineAddress(at.block(), at.offset())).orElse(0L),
                place.filter(ClientMemory.Place::isWindowed).isPresent() ? 1 : 0,
                region.naaAddress());
    }

    @Override
    public boolean isElsewhere() {
        return true;
    }

    @Override
    public Progress progress() {
        long[] now = counted();
        return new Progress(now[0], now[1]);
    }

    @Override
    public Map<String, Long> counters() {
        long[] now = counted();
        return Map.of(
                "dpa.rpcs", now[0],
                "dpa.answers", now[1],
                "dpa.bytes.sent", now[2],
                "dpa.cycles", now[3],
                "dpa.bytes.heap", memory.heapBytes(),
                "afu.cycles", function.cycles());
    }

    /// Calls, answers, bytes of results and cycles; of a process that has ended, as they were last
    /// seen.
    private synchronized long[] counted() {
        if (process.errorState().isRunning()) {
            try {
                DpaAddr words = side.descriptor().plus(ClientDescriptor.CALLS);
                counted = process.heap().copyWordsOut(words, 4);
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
        whenClosed.run();
    }
}
