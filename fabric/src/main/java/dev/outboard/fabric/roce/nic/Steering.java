package dev.outboard.fabric.roce.nic;

import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import dev.outboard.fabric.roce.wire.EthernetFrame;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Which queue pair gets a raw Ethernet frame: that of the most specific flow. Only the thread that
/// drives the machine touches it; finding allocates nothing.
public final class Steering {
    private final Map<FlowMatch, NicQueuePair> flows = new HashMap<>();
    private Table toAddressOfType = new Table(Map.of());
    private Table toAddress = new Table(Map.of());
    private Table ofType = new Table(Map.of());
    private @Nullable NicQueuePair everything;

    /// Flows of one kind, in the order of what they look for in a frame.
    private static final class Table {
        private final long[] keys;
        private final NicQueuePair[] queuePairs;

        Table(Map<Long, NicQueuePair> flows) {
            keys = flows.keySet().stream().mapToLong(Long::longValue).sorted().toArray();
            queuePairs = Arrays.stream(keys).mapToObj(flows::get).toArray(NicQueuePair[]::new);
        }

        @Nullable NicQueuePair find(long key) {
            int index = Arrays.binarySearch(keys, key);
            return index < 0 ? null : queuePairs[index];
        }
    }

    /// How many flows there are.
    public int size() {
        return flows.size();
    }

    /// The queue pair that frames like `match` are steered to, if there is such a flow.
    public @Nullable NicQueuePair taker(FlowMatch match) {
        return flows.get(match);
    }

    /// From now on, `queuePair` gets the frames that match; there must be no flow for them.
    public void add(FlowMatch match, NicQueuePair queuePair) {
        flows.put(match, queuePair);
        rebuild();
    }

    /// Ends a flow.
    public void remove(FlowMatch match) {
        flows.remove(match);
        rebuild();
    }

    /// Ends all flows to `queuePair`.
    void removeAll(NicQueuePair queuePair) {
        if (flows.values().removeIf(taker -> taker == queuePair)) {
            rebuild();
        }
    }

    /// Who gets `frame`; null if no flow takes it.
    @Nullable NicQueuePair find(MemorySegment frame) {
        long address = MacAddress.bitsAt(frame, 0);
        int type = EthernetFrame.etherType(frame);
        NicQueuePair found = toAddressOfType.find(key(address, type));
        if (found == null) {
            found = toAddress.find(address);
        }
        if (found == null) {
            found = ofType.find(type);
        }
        return found == null ? everything : found;
    }

    private void rebuild() {
        toAddressOfType =
                table(match -> match.destination().isPresent() && match.etherType().isPresent());
        toAddress = table(match -> match.destination().isPresent() && match.etherType().isEmpty());
        ofType = table(match -> match.destination().isEmpty() && match.etherType().isPresent());
        everything = flows.get(FlowMatch.all());
    }

    private Table table(Predicate<FlowMatch> kind) {
        Map<Long, NicQueuePair> ofKind = new HashMap<>();
        flows.forEach((match, queuePair) -> {
            if (kind.test(match)) {
                ofKind.put(key(match), queuePair);
            }
        });
        return new Table(ofKind);
    }

    private static long key(FlowMatch match) {
        long address = match.destination().map(MacAddress::bits).orElse(0L);
        return match.etherType().isPresent() ? key(address, match.etherType().getAsInt()) : address;
    }

    private static long key(long address, int type) {
        return address << Short.SIZE | type;
    }
}
