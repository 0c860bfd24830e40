package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.Observer.ActorKind;
import dev.outboard.dpa.machine.Profile;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One actor of a run: its running number of stores, what it knows of the others, and for a DPA
/// thread its barriers and its copies of external memory.
final class ActorState {
    final int number;
    final ActorKind kind;
    final String name;
    final Barriers barriers;
    final BarrierLog log = new BarrierLog();
    final Copies copies = new Copies();
    final Unwritten unwritten = new Unwritten();

    /// Its latest store to each kind of address.
    final long[] latest = new long[AddressKind.COUNT];

    /// Whether its latest activation has ended.
    boolean ended;

    private final Snapshots snapshots;
    private final @Nullable Snapshot[] carried = new Snapshot[AddressKind.COUNT];
    private long[] joined;
    private final Knowledge knowledge;
    private final History history;
    private long epoch;
    private long ordered;

    ActorState(
            int number,
            ActorKind kind,
            String name,
            Profile profile,
            int actors,
            Snapshots snapshots) {
        this.number = number;
        this.kind = kind;
        this.name = name;
        this.snapshots = snapshots;
        barriers = new Barriers(profile);
        knowledge = new Knowledge(actors);
        history = new History(actors);
        joined = new long[actors];
    }

    /// There are so many actors now.
    void reach(int actors) {
        changed();
        knowledge.reach(actors);
        history.reach(actors);
        joined = Arrays.copyOf(joined, actors);
    }

    boolean isThread() {
        return kind == ActorKind.THREAD;
    }

    /// The number of its latest store or announcement.
    long epoch() {
        return epoch;
    }

    /// Counts a store or announcement, and returns its number.
    long advance() {
        return ++epoch;
    }

    /// Whether the actor goes by that store of another one.
    boolean hasSeen(int other, long store) {
        return knowledge.get(other, Knowledge.SEEN) >= store;
    }

    /// Up to which store of another actor something holds.
    long knows(int other, int field) {
        return knowledge.get(other, field);
    }

    int tag(int other, int tag) {
        return knowledge.tag(other, tag);
    }

    /// Whether it has read that very store, as far as that is remembered.
    boolean hasRead(int other, long store) {
        History.Lesson lesson = history.first(other, store);
        return lesson != null && lesson.direct() && lesson.epoch() == store;
    }

    /// How it learned of that store.
    History.@Nullable Lesson lesson(int other, long store) {
        return history.first(other, store);
    }

    /// A NIC: what it wrote so far comes before what it writes from now on.
    void order() {
        ordered = epoch;
        changed();
    }

    /// Forgets what its stores carry, since that has changed.
    void changed() {
        for (int i = 0; i < carried.length; i++) {
            Snapshot snapshot = carried[i];
            if (snapshot != null) {
                snapshots.release(snapshot);
                carried[i] = null;
            }
        }
    }

    /// A writeback by this thread does nothing for what others have stored.
    ///
    /// @param field [Knowledge#FOREIGN_MEMORY] or [Knowledge#FOREIGN_WINDOW]
    /// @param tag the one that goes with it
    void wroteBackForOthers(int actors, int field, int tag, int site) {
        for (int other = 0; other < actors; other++) {
            long seen = knowledge.get(other, Knowledge.SEEN);
            if (other != number && seen > knowledge.get(other, field)) {
                knowledge.set(other, field, seen);
                knowledge.tag(other, tag, site);
                knowledge.tag(other, tag + 1, number);
            }
        }
    }

    /// What a store to that kind of address carries.
    Snapshot carried(int addressKind) {
        Snapshot snapshot = carried[addressKind];
        if (snapshot == null) {
            snapshot = snapshots.take(knowledge);
            if (isThread()) {
                barriers.publish(snapshot, number, addressKind);
            } else {
                publish(snapshot);
            }
            carried[addressKind] = snapshot;
        }
        return snapshot;
    }

    /// What it knows, and nothing of the order of its own stores. The caller holds it.
    Snapshot unordered() {
        Snapshot snapshot = snapshots.take(knowledge);
        Arrays.fill(snapshot.pushedWithIt, 0);
        return snapshot;
    }

    /// DPA-MEM-15: NIC, host and peers reach memory itself; the host is sequentially consistent.
    private void publish(Snapshot into) {
        Knowledge own = into.knowledge;
        for (int field = Knowledge.ORDERED; field < Knowledge.FOREIGN_MEMORY; field++) {
            own.set(number, field, Long.MAX_VALUE);
        }
        long before = kind == ActorKind.HOST ? Long.MAX_VALUE : ordered;
        own.set(number, Knowledge.ORDERED + AddressKind.HEAP, before);
        own.set(number, Knowledge.ORDERED + AddressKind.REST, before);
        Arrays.fill(into.pushedWithIt, 0);
    }

    /// Learns of an event of another actor, and of all that it carries. Returns whether anything of
    /// that is new.
    ///
    /// @param event its number
    /// @param eventSite where it stands
    /// @param addressKind what it is
    /// @param site where this actor learns it
    boolean join(
            int other, long event, int eventSite, int addressKind, Snapshot carries, int site) {
        boolean isNew = joined[other] != carries.stamp;
        if (isNew) {
            joined[other] = carries.stamp;
            joinAll(other, eventSite, carries, site);
        }
        if (knowledge.get(other, Knowledge.SEEN) < event) {
            isNew = true;
            knowledge.seen(other, event, eventSite, addressKind);
            history.learn(other, event, eventSite, addressKind, true, other, eventSite, site);
        }
        if (isNew) {
            changed();
        }
        return isNew;
    }

    private void joinAll(int other, int eventSite, Snapshot carries, int site) {
        Knowledge theirs = carries.knowledge;
        // What was carried before there were others says nothing of them.
        int actors = theirs.actors();
        for (int third = 0; third < actors; third++) {
            long seen = theirs.get(third, Knowledge.SEEN);
            if (third != other && third != number && seen > knowledge.get(third, Knowledge.SEEN)) {
                int thirdSite = theirs.tag(third, Knowledge.SEEN_SITE);
                int thirdKind = theirs.tag(third, Knowledge.SEEN_KIND);
                knowledge.seen(third, seen, thirdSite, thirdKind);
                history.learn(third, seen, thirdSite, thirdKind, false, other, eventSite, site);
            }
            joinForeign(third, theirs, Knowledge.FOREIGN_MEMORY, Knowledge.FOREIGN_MEMORY_SITE);
            joinForeign(third, theirs, Knowledge.FOREIGN_WINDOW, Knowledge.FOREIGN_WINDOW_SITE);
            for (int field = Knowledge.ORDERED; field < Knowledge.FOREIGN_MEMORY; field++) {
                knowledge.raise(third, field, theirs.get(third, field));
            }
        }
        if (!isThread()) {
            for (int kindOfMemory = 0; kindOfMemory < 2; kindOfMemory++) {
                knowledge.raise(
                        other, Knowledge.PUSHED + kindOfMemory, carries.pushedWithIt[kindOfMemory]);
            }
        }
    }

    private void joinForeign(int third, Knowledge theirs, int field, int tag) {
        long upTo = theirs.get(third, field);
        if (upTo > knowledge.get(third, field)) {
            knowledge.set(third, field, upTo);
            knowledge.tag(third, tag, theirs.tag(third, tag));
            knowledge.tag(third, tag + 1, theirs.tag(third, tag + 1));
        }
    }
}
