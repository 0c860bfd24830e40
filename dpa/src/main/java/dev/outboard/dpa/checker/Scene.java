package dev.outboard.dpa.checker;

import dev.outboard.dpa.machine.Observer.ActorKind;
import dev.outboard.dpa.machine.Profile;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// What the parts of the checker share in one run.
final class Scene {
    final Profile profile;
    final Findings findings;
    final Snapshots snapshots;
    final ShadowMemory memory;

    private final List<ActorState> actors = new ArrayList<>();
    private final BitSet polls = new BitSet();
    private final BitSet records = new BitSet();
    private long events;

    Scene(Profile profile, Findings findings) {
        this.profile = profile;
        this.findings = findings;
        snapshots = new Snapshots();
        memory = new ShadowMemory(snapshots);
    }

    ActorState actor(int number) {
        return actors.get(number);
    }

    List<ActorState> actors() {
        return actors;
    }

    void add(ActorState actor) {
        actors.add(actor);
    }

    /// The number of the latest event that counts for copies and barriers.
    long events() {
        return events;
    }

    long nextEvent() {
        return ++events;
    }

    /// A site turned out to be the test of a loop.
    void addPoll(int site) {
        if (site != 0) {
            polls.set(site);
        }
    }

    /// Whether a load there waits for a word, as far as is known by now.
    boolean isPoll(int site) {
        return site != 0 && (polls.get(site) || findings.sites().inPollLoop(site));
    }

    /// The store at that site is one of a doorbell record.
    void addRecord(int site) {
        records.set(site);
    }

    /// Whether the store at that site was one of a doorbell record.
    boolean isRecord(int site) {
        return records.get(site);
    }

    /// Whether any actor is of that kind.
    boolean has(ActorKind kind) {
        return actors.stream().anyMatch(actor -> actor.kind == kind);
    }
}
