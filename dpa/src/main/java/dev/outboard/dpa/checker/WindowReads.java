package dev.outboard.dpa.checker;

import dev.outboard.dpa.checker.ShadowMemory.Write;
import java.util.Optional;

/// DPA-CHK-5: what window loads bring into the cache of a thread, and what they may find there.
///
/// DPA-CHK-7: found where only a fence has dropped the copy.
final class WindowReads {
    private final Scene scene;

    WindowReads(Scene scene) {
        this.scene = scene;
    }

    /// DPA-CHK-5: a copy from before the thread came to go by that store.
    void stale(Access access, Write write) {
        ActorState by = access.by;
        long line = access.address & -Races.LINE;
        long shift = (access.address & (Races.LINE - 1)) & -ShadowMemory.GRANULE;
        long bytes = ((long) (write.mask & access.mask)) << shift;
        Copies.Age age = by.copies.age(line, bytes, write.sequence);
        if (age == Copies.Age.FRESH) {
            return;
        }
        boolean stale = age == Copies.Age.STALE;
        Rule rule = stale ? Rule.MISSING_READ_INV : Rule.RELIES_ON_FENCE_SIDE_EFFECT;
        int fetched = by.copies.site(line);
        if (!scene.findings.isNew(rule, by, fetched, by, access.site)) {
            return;
        }
        Spot load = scene.findings.spot(by, "load", access.site);
        History.Lesson lesson = by.lesson(write.writer, write.epoch);
        Optional<Mismatch> mismatch =
                stale
                        ? scene.findings.mismatch(
                                by,
                                by.log.fenceSince(by.copies.fetched(line)),
                                Remedy.Operation.READ_INV)
                        : Optional.empty();
        Spot announced =
                scene.findings.spot(
                        by, "announcement", lesson == null ? fetched : lesson.learned());
        scene.findings.add(
                new Finding(
                        rule,
                        rule.severity(),
                        scene.findings.spot(by, "fetch", fetched),
                        load,
                        scene.findings.location(access.address),
                        mismatch,
                        Optional.of(
                                new Remedy(
                                        Remedy.Operation.READ_INV, announced, Optional.of(load)))));
    }

    /// A window load may bring the whole line, as it is now.
    void fetch(Access access) {
        ActorState by = access.by;
        long line = access.address & -Races.LINE;
        if (!by.copies.isFetch(line)) {
            return;
        }
        long known = -1L;
        for (int granule = 0; granule < Races.LINE; granule += ShadowMemory.GRANULE) {
            for (Write write = access.page.writes(line + granule);
                    write != null;
                    write = write.next) {
                if (write.writer != by.number && !by.hasSeen(write.writer, write.epoch)) {
                    known &= ~((long) write.mask << granule);
                }
            }
        }
        by.copies.fetch(line, scene.nextEvent(), known, access.site);
    }
}
