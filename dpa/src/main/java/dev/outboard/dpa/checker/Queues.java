package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.AddressKind.WINDOW;

import dev.outboard.dpa.checker.Remedy.Operation;
import dev.outboard.dpa.checker.ShadowMemory.Write;
import dev.outboard.dpa.machine.Observer.ActorKind;
import dev.outboard.dpa.machine.Observer.WordRole;
import dev.outboard.dpa.machine.Profile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// DPA-CHK-4, DPA-CHK-22: what the roles of words ask for.
///
/// DPA-CHK-1, DPA-CHK-2: of these, the words that must leave a thread before it ends.
final class Queues {
    private final Scene scene;
    private final Map<Integer, Queue> queues = new HashMap<>();
    private final List<Set<Role>> mustLeave = new ArrayList<>();

    /// A queue: the entries that threads have stored, and those that somebody was told of.
    private static final class Queue {
        long[] stored = new long[0];
        int[] sites = new int[0];
        int[] kinds = new int[0];
        long[] addresses = new long[0];
        long[] records = new long[0];
        int[] recordSites = new int[0];
        long[] told = new long[0];
        final Set<Long> registers = new LinkedHashSet<>();

        /// Where threads ended before anybody was told of their entries, by thread.
        final Map<Integer, Integer> ends = new LinkedHashMap<>();

        boolean hasRecord;

        boolean isUnrung(int actor) {
            boolean canBeTold = hasRecord || !registers.isEmpty();
            return canBeTold && Math.max(stored[actor], records[actor]) > told[actor];
        }

        /// Has room for so many actors.
        void reach(int actors) {
            if (stored.length < actors) {
                stored = Arrays.copyOf(stored, actors);
                sites = Arrays.copyOf(sites, actors);
                kinds = Arrays.copyOf(kinds, actors);
                addresses = Arrays.copyOf(addresses, actors);
                records = Arrays.copyOf(records, actors);
                recordSites = Arrays.copyOf(recordSites, actors);
                told = Arrays.copyOf(told, actors);
            }
        }
    }

    Queues(Scene scene) {
        this.scene = scene;
    }

    void role(WordRole word, long address, long lengthBytes, int queue) {
        queue(queue);
        Role role = new Role(word, address, lengthBytes, queue);
        scene.memory.role(role);
        if (word == WordRole.RECORD) {
            queue(queue).hasRecord = true;
        }
    }

    void doorbellOf(int queue, long register) {
        queue(queue).registers.add(register);
    }

    private Queue queue(int number) {
        return queues.computeIfAbsent(
                number,
                any -> {
                    Queue queue = new Queue();
                    queue.reach(scene.actors().size());
                    return queue;
                });
    }

    /// The run begins.
    void started() {
        queues.values().forEach(queue -> queue.reach(scene.actors().size()));
    }

    /// A thread has stored to bytes that are for something.
    void store(ActorState by, Role first, long address, int length, long epoch, int site) {
        int kind = AddressKind.of(address);
        for (Role role = first; role != null; role = role.next) {
            if (!role.overlaps(address, length)) {
                continue;
            }
            switch (role.word) {
                case ENTRY -> entry(queue(role.queue), by, kind, address, epoch, site);
                case RECORD -> {
                    scene.addRecord(site);
                    record(queue(role.queue), by, kind, epoch, site);
                    mustLeave(role, by, epoch, site);
                }
                case INDEX -> mustLeave(role, by, epoch, site);
                case FLAG -> {
                    if (kind == WINDOW) {
                        mustLeave(role, by, epoch, site);
                    }
                }
                case IGNORED_INDEX, BUFFER, COMPLETION, SYNDROME -> {
                    // Nobody is told of these by a store.
                }
            }
        }
    }

    private static void entry(
            Queue queue, ActorState by, int kind, long address, long epoch, int site) {
        queue.stored[by.number] = epoch;
        queue.sites[by.number] = site;
        queue.kinds[by.number] = kind;
        queue.addresses[by.number] = address;
    }

    private void mustLeave(Role role, ActorState by, long epoch, int site) {
        role.stores.store(by.number, epoch, site);
        while (mustLeave.size() <= by.number) {
            mustLeave.add(new LinkedHashSet<>());
        }
        mustLeave.get(by.number).add(role.whole());
    }

    /// DPA-CHK-4: a doorbell record after its entries.
    private void record(Queue queue, ActorState by, int kind, long epoch, int site) {
        int own = by.number;
        long entry = queue.stored[own];
        if (entry > queue.told[own] && !by.barriers.isBefore(queue.kinds[own], entry, kind)) {
            recordBeforeEntries(queue, by, kind, epoch, site);
        }
        if (queue.registers.isEmpty()) {
            tell(queue, by);
        } else {
            queue.records[own] = epoch;
            queue.recordSites[own] = site;
        }
    }

    private void recordBeforeEntries(Queue queue, ActorState by, int kind, long epoch, int site) {
        int entrySite = queue.sites[by.number];
        int entryKind = queue.kinds[by.number];
        boolean memory = AddressKind.isMemory(entryKind);
        boolean alike = memory == AddressKind.isMemory(kind);
        Rule rule = Rule.MISSING_RECORD_FENCE;
        Operation cure = memory ? Operation.MEMORY_FENCE : Operation.WINDOW_FENCE;
        if (!alike) {
            boolean fenced = queue.stored[by.number] <= by.barriers.fenced(entryKind, kind);
            rule =
                    fenced && scene.profile != Profile.PARANOID
                            ? Rule.RELIES_ON_FENCE_SIDE_EFFECT
                            : memory
                                    ? Rule.MISSING_MEMORY_WRITEBACK
                                    : Rule.MISSING_WINDOW_WRITEBACK;
            cure = memory ? Operation.MEMORY_WRITEBACK : Operation.WINDOW_WRITEBACK;
        }
        if (!scene.findings.isNew(rule, by, entrySite, by, site)) {
            return;
        }
        Spot first = scene.findings.spot(by, "store", entrySite);
        Spot second = scene.findings.spot(by, "store", site);
        BarrierLog.Barrier barrier = by.log.between(queue.stored[by.number], epoch);
        scene.findings.add(
                new Finding(
                        rule,
                        rule.severity(),
                        first,
                        second,
                        scene.findings.location(queue.addresses[by.number]),
                        rule == Rule.RELIES_ON_FENCE_SIDE_EFFECT
                                ? Optional.empty()
                                : scene.findings.mismatch(by, barrier, cure),
                        Optional.of(new Remedy(cure, first, Optional.of(second)))));
    }

    /// A doorbell: all entries that the thread knows of are told.
    void ring(ActorState by, long register) {
        for (Queue queue : queues.values()) {
            if (queue.registers.contains(register)) {
                tell(queue, by);
            }
        }
    }

    private void tell(Queue queue, ActorState by) {
        for (ActorState actor : scene.actors()) {
            long stored = Math.max(queue.stored[actor.number], queue.records[actor.number]);
            if (actor == by || by.hasSeen(actor.number, stored)) {
                queue.told[actor.number] = stored;
                queue.ends.remove(actor.number);
            }
        }
    }

    /// DPA-CHK-1, DPA-CHK-2: an activation ends, and with it the chance to write words back.
    void end(ActorState by, int site) {
        for (Role role : mustLeave(by)) {
            if (isInside(by, role)) {
                neverLeft(by, role, "end", site);
            }
        }
        for (Queue queue : queues.values()) {
            if (queue.isUnrung(by.number)) {
                queue.ends.putIfAbsent(by.number, site);
            }
        }
    }

    /// The run is over: what another thread has not rung for by now nobody will.
    void finished() {
        for (Queue queue : queues.values()) {
            queue.ends.forEach((actor, site) -> unrung(queue, scene.actor(actor), site, false));
        }
    }

    private Set<Role> mustLeave(ActorState by) {
        return by.number < mustLeave.size() ? mustLeave.get(by.number) : Set.of();
    }

    /// Whether the latest store of the thread to the word has not been written back.
    private boolean isInside(ActorState by, Role role) {
        int kind = AddressKind.of(role.address);
        long epoch = role.stores.epoch(by.number);
        if (kind == WINDOW) {
            return !by.barriers.isOut(epoch);
        }
        return epoch > by.barriers.pushed(kind) && scene.profile != Profile.COHERENT;
    }

    /// Somebody waits for a word that a thread has stored: it must leave the thread, whatever the
    /// harness says of it.
    void polled(Access access, Write write) {
        ActorState writer = scene.actor(write.writer);
        boolean coherent = access.kind != WINDOW && access.by.isThread();
        if (coherent || !writer.isThread()) {
            return;
        }
        for (Role role = access.page.role(access.address); role != null; role = role.next) {
            if (role.word != WordRole.FLAG || access.kind == WINDOW) {
                return;
            }
        }
        WordRole word = access.kind == WINDOW ? WordRole.FLAG : WordRole.INDEX;
        long from = access.address & -ShadowMemory.GRANULE;
        Role role = new Role(word, from, ShadowMemory.GRANULE, -1);
        scene.memory.role(role);
        mustLeave(role, writer, write.epoch, write.site);
        if (writer.ended && isInside(writer, role)) {
            neverLeft(writer, role, "end", 0);
        }
    }

    /// A thread learns something new. What tells it may depend on a word that the thread itself has
    /// not written back: then it waits for what may never come.
    void learned(ActorState by, int site) {
        for (Role role : mustLeave(by)) {
            if (isInside(by, role) && isReadBefore(by, role)) {
                neverLeft(by, role, "wait for an answer", site);
            }
        }
    }

    private boolean isReadBefore(ActorState by, Role role) {
        boolean window = AddressKind.of(role.address) == WINDOW;
        ShadowMemory.Page page = scene.memory.page(role.address);
        for (ShadowMemory.Read read = page.reads(role.address); read != null; read = read.next) {
            if (read.reader != by.number
                    && (window || !scene.actor(read.reader).isThread())
                    && by.hasSeen(read.reader, read.first)) {
                return true;
            }
        }
        return false;
    }

    private void neverLeft(ActorState by, Role role, String action, int site) {
        int kind = AddressKind.of(role.address);
        Rule rule = kind == WINDOW ? Rule.MISSING_WINDOW_WRITEBACK : Rule.MISSING_MEMORY_WRITEBACK;
        Operation cure = kind == WINDOW ? Operation.WINDOW_WRITEBACK : Operation.MEMORY_WRITEBACK;
        int storeSite = role.stores.site(by.number);
        if (scene.findings.has(rule, storeSite)
                || !scene.findings.isNew(rule, by, storeSite, by, site)) {
            return;
        }
        Spot first = scene.findings.spot(by, "store", storeSite);
        BarrierLog.Barrier barrier = by.log.between(role.stores.epoch(by.number), Long.MAX_VALUE);
        scene.findings.add(
                new Finding(
                        rule,
                        rule.severity(),
                        first,
                        scene.findings.spot(by, action, site),
                        scene.findings.location(role.address),
                        scene.findings.mismatch(by, barrier, cure),
                        Optional.of(new Remedy(cure, first, Optional.empty()))));
    }

    /// DPA-CHK-2: a call returns to a host that nobody watches, so that it may read what the thread
    /// has stored through a window.
    void returned(ActorState by, int site) {
        if (by.latest[WINDOW] <= by.barriers.pushed(WINDOW) || scene.has(ActorKind.HOST)) {
            return;
        }
        int storeSite = by.unwritten.latestSite();
        if (scene.findings.isNew(Rule.MISSING_WINDOW_WRITEBACK, by, storeSite, by, site)) {
            Spot first = scene.findings.spot(by, "store", storeSite);
            Spot second =
                    scene.findings.spot(
                            by, "return, after which the host may read (probable)", site);
            scene.findings.add(
                    new Finding(
                            Rule.MISSING_WINDOW_WRITEBACK,
                            Rule.MISSING_WINDOW_WRITEBACK.severity(),
                            first,
                            second,
                            scene.findings.location(by.unwritten.latestGranule()),
                            Optional.empty(),
                            Optional.of(
                                    new Remedy(
                                            Operation.WINDOW_WRITEBACK,
                                            first,
                                            Optional.of(second)))));
        }
    }

    /// DPA-CHK-22: entries that nobody was told of.
    ///
    /// @param site where the thread waits for what cannot come
    /// @return whether there are any
    boolean unrung(ActorState by, int site) {
        boolean found = false;
        for (Queue queue : queues.values()) {
            if (queue.isUnrung(by.number)) {
                found = true;
                unrung(queue, by, site, true);
            }
        }
        return found;
    }

    private void unrung(Queue queue, ActorState by, int site, boolean waits) {
        int own = by.number;
        boolean entry = queue.stored[own] > queue.told[own];
        int storeSite = entry ? queue.sites[own] : queue.recordSites[own];
        if (scene.findings.isNew(Rule.POSTED_NEVER_RUNG, by, storeSite, by, site)) {
            scene.findings.add(
                    new Finding(
                            Rule.POSTED_NEVER_RUNG,
                            waits ? Severity.ERROR : Rule.POSTED_NEVER_RUNG.severity(),
                            scene.findings.spot(by, "store", storeSite),
                            scene.findings.spot(by, waits ? "wait" : "end", site),
                            scene.findings.location(queue.addresses[own]),
                            Optional.empty(),
                            Optional.empty()));
        }
    }
}
