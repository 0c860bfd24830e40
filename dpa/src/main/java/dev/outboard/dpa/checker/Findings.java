package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.CodePlace;
import dev.outboard.dpa.machine.Sites;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The findings of one run, each once for the same rule, the same two places and the same actors
/// there.
final class Findings {
    private Sites sites = site -> CodePlace.NONE;
    private final List<Finding> all = new ArrayList<>();
    private final Set<Key> known = new HashSet<>();
    private final TreeMap<Long, Named> names = new TreeMap<>(Long::compareUnsigned);

    private record Key(Rule rule, int first, int firstSite, int second, int secondSite) {}

    private record Named(String name, long address, long lengthBytes) {}

    void sites(Sites sites) {
        this.sites = sites;
    }

    /// Names bytes of memory.
    void name(long address, long lengthBytes, String name) {
        names.put(address, new Named(name, address, lengthBytes));
    }

    /// Whether this was not found yet; it counts as found from now on.
    boolean isNew(Rule rule, ActorState first, int firstSite, ActorState second, int secondSite) {
        return known.add(new Key(rule, first.number, firstSite, second.number, secondSite));
    }

    /// Whether the rule was found for that first place.
    boolean has(Rule rule, int firstSite) {
        return known.stream().anyMatch(key -> key.rule() == rule && key.firstSite() == firstSite);
    }

    void add(Finding finding) {
        all.add(finding);
    }

    List<Finding> all() {
        return Collections.unmodifiableList(all);
    }

    Sites sites() {
        return sites;
    }

    CodePlace place(int site) {
        return site == 0 ? CodePlace.NONE : sites.place(site);
    }

    Spot spot(ActorState actor, String action, int site) {
        return new Spot(actor.name, action, place(site));
    }

    /// The memory at that address, by its name or by the number.
    String location(long address) {
        Map.Entry<Long, Named> below = names.floorEntry(address);
        if (below != null
                && address - below.getValue().address() < below.getValue().lengthBytes()) {
            long offset = address - below.getValue().address();
            return offset == 0 ? below.getValue().name() : below.getValue().name() + "+" + offset;
        }
        return "0x" + Long.toHexString(address);
    }

    /// What stands between and does not do.
    Optional<Mismatch> mismatch(
            ActorState by, BarrierLog.@Nullable Barrier barrier, Remedy.Operation needed) {
        if (barrier == null) {
            return Optional.empty();
        }
        Mismatch.Kind kind =
                isInSpace(barrier, needed) ? Mismatch.Kind.WRONG_OPS : Mismatch.Kind.WRONG_SPACE;
        Spot spot = spot(by, barrier.toString(), barrier.site());
        return Optional.of(new Mismatch(kind, barrier.toString(), spot, needed));
    }

    private static boolean isInSpace(BarrierLog.Barrier barrier, Remedy.Operation needed) {
        boolean memory =
                needed == Remedy.Operation.MEMORY_WRITEBACK
                        || needed == Remedy.Operation.MEMORY_FENCE;
        return switch (barrier.space()) {
            case SYSTEM -> true;
            case MEMORY -> memory;
            case MMIO -> !memory;
            case HEAP -> false;
        };
    }
}
