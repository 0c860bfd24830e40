package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.AddressKind.WINDOW;

import dev.outboard.dpa.checker.Remedy.Operation;
import dev.outboard.dpa.checker.ShadowMemory.Write;
import dev.outboard.dpa.machine.AddressMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// DPA-CHK-6, DPA-CHK-19, DPA-CHK-21: loops that wait for a word.
///
/// A loop is known by [dev.outboard.dpa.machine.Observer#spin], by its site, or by the same load of
/// the same word [#ROUNDS] times with no other load between.
final class Polls {
    /// How many equal loads in a row are a loop.
    static final int ROUNDS = 8;

    /// How many words a loop may look at, for reports.
    private static final int WORDS = 4;

    /// How often a loop loads a failed completion and does nothing about it before that counts.
    private static final int BLIND_ROUNDS = 3;

    private final Scene scene;
    private final List<Loop> loops = new ArrayList<>();

    /// What a thread polls, as far as that is known.
    private static final class Loop {
        /// The latest load, and how often it gave the same store.
        long address;

        int site = -1;
        long version;
        int rounds;

        /// How often copies were dropped before it, and its number among all events.
        long copies;

        long event;

        /// The latest load that was the test of a loop that goes on.
        long spinAddress;

        int spinSite = -1;
        long spinCopies;
        long spinEvent;

        /// The failure that was loaded, and how often, since the thread did anything.
        @Nullable Failure failure;

        int failureLoads;

        /// The words that were loaded since the thread did anything: a loop may look at several.
        final long[] addresses = new long[WORDS];

        final int[] sites = new int[WORDS];
        int words;

        void add(long word, int where) {
            for (int i = 0; i < words; i++) {
                if (sites[i] == where) {
                    addresses[i] = word;
                    return;
                }
            }
            if (words < WORDS) {
                addresses[words] = word;
                sites[words] = where;
                words++;
            }
        }

        /// Of these the one that comes first in the program.
        int first() {
            int first = 0;
            for (int i = 1; i < words; i++) {
                first = sites[i] < sites[first] ? i : first;
            }
            return first;
        }
    }

    Polls(Scene scene) {
        this.scene = scene;
    }

    private Loop loop(ActorState by) {
        while (loops.size() <= by.number) {
            loops.add(new Loop());
        }
        return loops.get(by.number);
    }

    /// A thread loads a word, before anything else is made of the load.
    void load(ActorState by, ShadowMemory.Page page, long address, int kind, int site) {
        if (isLocal(address)) {
            return;
        }
        Loop loop = loop(by);
        Write write = page.writes(address);
        long version = write == null ? 0 : write.sequence;
        boolean alike = loop.address == address && loop.site == site && loop.version == version;
        if (loop.spinSite == site && loop.spinAddress == address) {
            repeat(by, loop, loop.spinCopies, loop.spinEvent, kind);
            loop.spinSite = -1;
        } else if (alike && (++loop.rounds >= ROUNDS || scene.isPoll(site))) {
            scene.addPoll(site);
            spun(loop, site);
            repeat(by, loop, loop.copies, loop.event, kind);
        } else {
            if (!alike) {
                loop.rounds = 1;
            }
            if (kind == WINDOW && scene.isPoll(site)) {
                ownStore(by, address, site);
            }
        }
        if (write != null && write.failure != null) {
            failure(by, loop, write.failure, address, site);
        }
        loop.add(address, site);
        loop.address = address;
        loop.site = site;
        loop.version = version;
        loop.copies = by.copies.generation();
        loop.event = scene.events();
    }

    /// Whether it is in a stack: C code keeps its variables there, and nobody waits for those.
    static boolean isLocal(long address) {
        return address >= AddressMap.STACKS && address < AddressMap.OUTBOX;
    }

    /// The latest load was the test of a loop that goes on.
    void spin(ActorState by, int site) {
        Loop loop = loop(by);
        scene.addPoll(site);
        if (loop.site == site) {
            spun(loop, site);
            loop.spinCopies = loop.copies;
            loop.spinEvent = loop.event;
        }
    }

    /// The thread goes round a loop for ever that looks at no memory: what it has loaded before was
    /// to change.
    void endless(ActorState by, int site) {
        Loop loop = loop(by);
        if (loop.site < 0
                || !scene.findings.isNew(Rule.NON_VOLATILE_POLL, by, loop.site, by, site)) {
            return;
        }
        scene.findings.add(
                new Finding(
                        Rule.NON_VOLATILE_POLL,
                        Rule.NON_VOLATILE_POLL.severity(),
                        scene.findings.spot(by, "only load", loop.site),
                        scene.findings.spot(by, "loop", site),
                        scene.findings.location(loop.address),
                        Optional.empty(),
                        Optional.empty()));
    }

    private static void spun(Loop loop, int site) {
        if (loop.spinAddress != loop.address || loop.spinSite != site) {
            loop.spinAddress = loop.address;
            loop.spinSite = site;
        }
    }

    private void repeat(ActorState by, Loop loop, long copies, long event, int kind) {
        if (kind != WINDOW
                || ownStore(by, loop.spinAddress, loop.spinSite)
                || by.copies.generation() != copies) {
            return;
        }
        boolean dropped = by.copies.isFetch(loop.spinAddress & -Races.LINE);
        Rule rule = dropped ? Rule.RELIES_ON_FENCE_SIDE_EFFECT : Rule.POLL_WITHOUT_READ_INV;
        Optional<Mismatch> mismatch =
                dropped
                        ? Optional.empty()
                        : scene.findings.mismatch(by, by.log.fenceSince(event), Operation.READ_INV);
        if (scene.findings.isNew(rule, by, loop.spinSite, by, loop.spinSite)) {
            Spot poll = scene.findings.spot(by, "poll", loop.spinSite);
            scene.findings.add(
                    new Finding(
                            rule,
                            rule.severity(),
                            poll,
                            scene.findings.spot(by, "next poll", loop.spinSite),
                            scene.findings.location(loop.spinAddress),
                            mismatch,
                            Optional.of(new Remedy(Operation.READ_INV, poll, Optional.empty()))));
        }
    }

    /// Whether the loop waits for a word that hides behind a store of the thread itself.
    private boolean ownStore(ActorState by, long address, int site) {
        long granule = address & -ShadowMemory.GRANULE;
        long epoch = by.unwritten.epoch(granule);
        if (epoch == 0 || by.barriers.isOut(epoch)) {
            return false;
        }
        int storeSite = by.unwritten.site(granule);
        if (scene.findings.isNew(Rule.POLL_OF_OWN_STORE, by, storeSite, by, site)) {
            Spot store = scene.findings.spot(by, "store", storeSite);
            Spot poll = scene.findings.spot(by, "poll", site);
            scene.findings.add(
                    new Finding(
                            Rule.POLL_OF_OWN_STORE,
                            Rule.POLL_OF_OWN_STORE.severity(),
                            store,
                            poll,
                            scene.findings.location(address),
                            Optional.empty(),
                            Optional.of(
                                    new Remedy(
                                            Operation.WINDOW_WRITEBACK,
                                            store,
                                            Optional.of(poll)))));
        }
        return true;
    }

    /// A completion entry tells of a failure.
    void failed(ActorState nic, long address, long lengthBytes) {
        for (long at = address & -ShadowMemory.GRANULE;
                at < address + lengthBytes;
                at += ShadowMemory.GRANULE) {
            Write write = writer(at);
            if (write != null) {
                write.failure = new Failure(nic.number, write.site);
            }
        }
    }

    /// A thread looked whether the operation failed.
    void looked(ActorState by) {
        loop(by).failureLoads = 0;
    }

    /// A thread did something but load, so that it has left what it waited in.
    void acted(ActorState by) {
        Loop loop = loop(by);
        loop.words = 0;
        if (loop.failure != null) {
            loop.failure.handled.set(by.number);
            loop.failure = null;
        }
    }

    /// DPA-CHK-19: the loop loads a failed completion again and again.
    private void failure(ActorState by, Loop loop, Failure failure, long address, int site) {
        if (failure.handled.get(by.number)) {
            return;
        }
        loop.failureLoads = failure.equals(loop.failure) ? loop.failureLoads + 1 : 1;
        loop.failure = failure;
        boolean blind =
                loop.failureLoads >= ROUNDS
                        || (loop.failureLoads >= BLIND_ROUNDS && scene.isPoll(site));
        if (blind && scene.findings.isNew(Rule.WAIT_BLIND_TO_ERROR, by, site, by, 0)) {
            ActorState nic = scene.actor(failure.nic);
            scene.findings.add(
                    new Finding(
                            Rule.WAIT_BLIND_TO_ERROR,
                            Rule.WAIT_BLIND_TO_ERROR.severity(),
                            scene.findings.spot(nic, "error completion", failure.site),
                            scene.findings.spot(by, "poll", site),
                            scene.findings.location(address),
                            Optional.empty(),
                            Optional.empty()));
        }
    }

    private @Nullable Write writer(long address) {
        return scene.memory.page(address).writes(address);
    }

    /// DPA-CHK-21: nobody will end this loop.
    void stuck(ActorState by) {
        Loop loop = loop(by);
        int first = loop.first();
        int site = loop.sites[first];
        if (loop.words == 0 || !scene.findings.isNew(Rule.WAIT_FOR_NOTHING, by, site, by, 0)) {
            return;
        }
        Write write = writer(loop.addresses[first]);
        Spot last =
                write == null
                        ? new Spot("nobody", "store", scene.findings.place(0))
                        : scene.findings.spot(scene.actor(write.writer), "last store", write.site);
        scene.findings.add(
                new Finding(
                        Rule.WAIT_FOR_NOTHING,
                        Rule.WAIT_FOR_NOTHING.severity(),
                        last,
                        scene.findings.spot(by, "wait", site),
                        scene.findings.location(loop.addresses[first]),
                        Optional.empty(),
                        Optional.empty()));
    }

    /// Where the thread waits.
    int site(ActorState by) {
        Loop loop = loop(by);
        return loop.sites[loop.first()];
    }
}
