package dev.outboard.fabric.steering;

import dev.outboard.fabric.FlowMatch;
import dev.outboard.fabric.MacAddress;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Which queue gets a raw Ethernet frame: that of the most specific flow, as [FlowMatch] has it.
/// One thread at a time; finding allocates nothing.
///
/// @param <Q> what takes frames
public final class Steering<Q> {
    private static final ValueLayout.OfShort TYPE =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long TYPE_OFFSET = 12;

    private final Map<FlowMatch, Q> flows = new HashMap<>();
    private Table<Q> toAddressOfType = new Table<>(Collections.emptySortedMap());
    private Table<Q> toAddress = new Table<>(Collections.emptySortedMap());
    private Table<Q> ofType = new Table<>(Collections.emptySortedMap());
    private @Nullable Q everything;

    /// Flows of one kind, in the order of what they look for in a frame.
    private static final class Table<Q> {
        private final long[] keys;
        private final List<Q> takers;

        Table(SortedMap<Long, Q> flows) {
            keys = flows.keySet().stream().mapToLong(Long::longValue).toArray();
            takers = List.copyOf(flows.values());
        }

        @Nullable Q find(long key) {
            int index = Arrays.binarySearch(keys, key);
            return index < 0 ? null : takers.get(index);
        }
    }

    /// How many flows there are.
    public int size() {
        return flows.size();
    }

    /// The queue that frames like `match` are steered to, if there is such a flow.
    public @Nullable Q taker(FlowMatch match) {
        return flows.get(match);
    }

    /// From now on, `taker` gets the frames that match; there must be no flow for them.
    public void add(FlowMatch match, Q taker) {
        flows.put(match, taker);
        rebuild();
    }

    /// Ends a flow.
    public void remove(FlowMatch match) {
        flows.remove(match);
        rebuild();
    }

    /// Ends all flows to such queues.
    public void removeIf(Predicate<? super Q> gone) {
        if (flows.values().removeIf(gone)) {
            rebuild();
        }
    }

    /// Who gets `frame`, which has a whole header; null if no flow takes it.
    public @Nullable Q find(MemorySegment frame) {
        long address = MacAddress.bitsAt(frame, 0);
        int type = Short.toUnsignedInt(frame.get(TYPE, TYPE_OFFSET));
        Q found = toAddressOfType.find(key(address, type));
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

    private Table<Q> table(Predicate<FlowMatch> kind) {
        SortedMap<Long, Q> ofKind = new TreeMap<>();
        flows.forEach((match, taker) -> {
            if (kind.test(match)) {
                ofKind.put(key(match), taker);
            }
        });
        return new Table<>(ofKind);
    }

    private static long key(FlowMatch match) {
        long address = match.destination().map(MacAddress::bits).orElse(0L);
        return match.etherType().isPresent() ? key(address, match.etherType().getAsInt()) : address;
    }

    private static long key(long address, int type) {
        return address << Short.SIZE | type;
    }
}
