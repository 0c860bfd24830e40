package dev.outboard.dpa.checker;

import dev.outboard.dpa.checker.ShadowMemory.Read;
import dev.outboard.dpa.checker.ShadowMemory.Write;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// DPA-CHK-10, DPA-CHK-11: two actors at one place that know nothing of each other.
final class Races {
    /// Bytes of a line.
    static final int LINE = 64;

    private final Scene scene;
    private final List<Candidate> candidates = new ArrayList<>();

    /// A race unless the load turns out to be the test of a poll loop.
    private record Candidate(Finding finding, int loadSite) {}

    Races(Scene scene) {
        this.scene = scene;
    }

    /// A thread reads a store of another thread, and knows of nothing that orders the two.
    void read(Access access, Write write) {
        ActorState writer = scene.actor(write.writer);
        if (!writer.isThread() || write.atomic || scene.isPoll(access.site)) {
            return;
        }
        if (scene.findings.isNew(Rule.DATA_RACE, writer, write.site, access.by, access.site)) {
            Finding race =
                    finding(
                            access,
                            scene.findings.spot(writer, "store", write.site),
                            scene.findings.spot(access.by, "load", access.site));
            candidates.add(new Candidate(race, access.site));
        }
    }

    /// A thread stores where others have stored or read.
    void store(Access access) {
        for (Write write = access.page.writes(access.address); write != null; write = write.next) {
            if ((write.mask & access.mask) != 0
                    && isUnordered(access, write.writer, write.epoch)
                    && !write.atomic
                    && scene.findings.isNew(
                            Rule.DATA_RACE,
                            scene.actor(write.writer),
                            write.site,
                            access.by,
                            access.site)) {
                ActorState writer = scene.actor(write.writer);
                Spot first = scene.findings.spot(writer, "store", write.site);
                Spot second = scene.findings.spot(access.by, "store", access.site);
                candidates.add(new Candidate(finding(access, first, second), 0));
            }
        }
        for (Read read = access.page.reads(access.address); read != null; read = read.next) {
            if ((read.mask & access.mask) != 0
                    && !read.atomic
                    && isUnordered(access, read.reader, read.last)
                    && !scene.isPoll(read.site)
                    && scene.findings.isNew(
                            Rule.DATA_RACE,
                            access.by,
                            access.site,
                            scene.actor(read.reader),
                            read.site)) {
                Spot first = scene.findings.spot(access.by, "store", access.site);
                Spot second = scene.findings.spot(scene.actor(read.reader), "load", read.site);
                candidates.add(new Candidate(finding(access, first, second), read.site));
            }
        }
    }

    private boolean isUnordered(Access access, int other, long epoch) {
        return other != access.by.number
                && scene.actor(other).isThread()
                && !access.by.hasSeen(other, epoch);
    }

    private Finding finding(Access access, Spot first, Spot second) {
        return new Finding(
                Rule.DATA_RACE,
                Rule.DATA_RACE.severity(),
                first,
                second,
                scene.findings.location(access.address),
                Optional.empty(),
                Optional.empty());
    }

    /// DPA-CHK-10: looks for bytes of the line, other than those stored now, that another actor
    /// wrote and that nothing orders before, if one of the two is a DPA thread.
    void storeOutside(Access access) {
        long line = access.address & -LINE;
        long granule = access.address & -ShadowMemory.GRANULE;
        for (long at = line; at < line + LINE; at += ShadowMemory.GRANULE) {
            int others = at == granule ? ShadowMemory.ALL & ~access.mask : ShadowMemory.ALL;
            for (Write write = access.page.writes(at); write != null; write = write.next) {
                if ((write.mask & others) != 0 && write.writer != access.by.number) {
                    share(access, write, at);
                }
            }
        }
    }

    private void share(Access access, Write write, long at) {
        ActorState writer = scene.actor(write.writer);
        if (!(writer.isThread() || access.by.isThread())
                || access.by.hasSeen(write.writer, write.epoch)
                || !scene.findings.isNew(
                        Rule.WINDOW_FALSE_SHARING, writer, write.site, access.by, access.site)) {
            return;
        }
        scene.findings.add(
                new Finding(
                        Rule.WINDOW_FALSE_SHARING,
                        Rule.WINDOW_FALSE_SHARING.severity(),
                        scene.findings.spot(writer, "store", write.site),
                        scene.findings.spot(access.by, "store", access.site),
                        scene.findings.location(at),
                        Optional.empty(),
                        Optional.empty()));
    }

    /// Adds the races that are none of a poll loop.
    void finish() {
        for (Candidate candidate : candidates) {
            if (!scene.isPoll(candidate.loadSite())) {
                scene.findings.add(candidate.finding());
            }
        }
        candidates.clear();
    }
}
