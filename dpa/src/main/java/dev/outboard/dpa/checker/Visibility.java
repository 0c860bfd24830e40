package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.AddressKind.WINDOW;

import dev.outboard.dpa.checker.Remedy.Operation;
import dev.outboard.dpa.checker.ShadowMemory.Read;
import dev.outboard.dpa.checker.ShadowMemory.Write;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// DPA-CHK-1, DPA-CHK-2, DPA-CHK-3, DPA-CHK-4, DPA-CHK-7, DPA-CHK-12, DPA-CHK-18: whether what an
/// actor reads was sure to be visible to it. Asked only for stores that the actor goes by, since it
/// has seen what announces them.
///
/// DPA-CHK-9: the same of what it stores over.
///
/// DPA-CHK-8: a barrier of another kind in the place of the missing one is named as a detail.
final class Visibility {
    private final Scene scene;

    Visibility(Scene scene) {
        this.scene = scene;
    }

    /// An actor reads a store of another one that it goes by.
    void read(Access access, Write write) {
        ActorState writer = scene.actor(write.writer);
        if (!writer.isThread()) {
            readOfNic(access, writer, write);
        } else if (access.kind == WINDOW) {
            readOutside(access, writer, write);
        } else if (access.by.isThread()) {
            readByThread(access, writer, write);
        } else {
            readByNic(access, writer, write);
        }
    }

    /// DPA-CHK-18: what the NIC wrote without an order to the sign that the thread saw.
    private void readOfNic(Access access, ActorState nic, Write write) {
        ActorState by = access.by;
        if (!by.isThread()
                || access.sign
                || write.epoch <= by.knows(nic.number, Knowledge.ORDERED)
                || isSeenByOthers(access, write, false)) {
            return;
        }
        report(Rule.RELAXED_ORDER_POLL, access, nic, write, null);
    }

    /// DPA-CHK-3: between threads DPA memory is coherent, so that only the order can be missing.
    private void readByThread(Access access, ActorState writer, Write write) {
        ActorState by = access.by;
        if (write.atomic
                || access.sign
                || write.epoch <= by.knows(writer.number, Knowledge.ORDERED + access.kind)
                || isSeenByOthers(access, write, false)) {
            return;
        }
        History.Lesson lesson = by.lesson(writer.number, write.epoch);
        boolean fence = lesson == null || AddressKind.isMemory(lesson.kind());
        report(
                Rule.MISSING_FENCE,
                access,
                writer,
                write,
                fence ? Operation.MEMORY_FENCE : Operation.MEMORY_WRITEBACK);
    }

    /// DPA-CHK-1, DPA-CHK-3, DPA-CHK-4, DPA-CHK-7, DPA-CHK-12: the first of what is missing on the
    /// way to the NIC.
    private void readByNic(Access access, ActorState writer, Write write) {
        ActorState by = access.by;
        int u = writer.number;
        if (write.epoch <= by.knows(u, Knowledge.PUSHED + access.kind)
                || isSeenByOthers(access, write, true)) {
            return;
        }
        if (write.epoch <= by.knows(u, Knowledge.PUSHED_BY_FENCE + access.kind)) {
            report(
                    Rule.RELIES_ON_FENCE_SIDE_EFFECT,
                    access,
                    writer,
                    write,
                    Operation.MEMORY_WRITEBACK);
            return;
        }
        History.Lesson lesson = by.lesson(u, write.epoch);
        if (lesson != null && lesson.direct() && AddressKind.isMemory(lesson.kind())) {
            Rule rule =
                    scene.isRecord(lesson.site()) ? Rule.MISSING_RECORD_FENCE : Rule.MISSING_FENCE;
            report(rule, access, writer, write, Operation.MEMORY_FENCE);
        } else if (write.epoch <= by.knows(u, Knowledge.FOREIGN_MEMORY)) {
            reportForeign(access, writer, write, Knowledge.FOREIGN_MEMORY_SITE);
        } else {
            report(
                    Rule.MISSING_MEMORY_WRITEBACK,
                    access,
                    writer,
                    write,
                    Operation.MEMORY_WRITEBACK);
        }
    }

    /// DPA-CHK-2: the first of what is missing on the way to external memory.
    private void readOutside(Access access, ActorState writer, Write write) {
        ActorState by = access.by;
        int u = writer.number;
        if (write.epoch <= by.knows(u, Knowledge.OUT) || isSeenByOthers(access, write, false)) {
            return;
        }
        if (write.epoch <= by.knows(u, Knowledge.OUT_BY_FENCE)) {
            report(
                    Rule.RELIES_ON_FENCE_SIDE_EFFECT,
                    access,
                    writer,
                    write,
                    Operation.WINDOW_WRITEBACK);
            return;
        }
        History.Lesson lesson = by.lesson(u, write.epoch);
        if (lesson != null && lesson.direct() && lesson.kind() == WINDOW) {
            report(Rule.MISSING_FENCE, access, writer, write, Operation.WINDOW_FENCE);
        } else if (write.epoch <= by.knows(u, Knowledge.FOREIGN_WINDOW)) {
            reportForeign(access, writer, write, Knowledge.FOREIGN_WINDOW_SITE);
        } else {
            report(
                    Rule.MISSING_WINDOW_WRITEBACK,
                    access,
                    writer,
                    write,
                    Operation.WINDOW_WRITEBACK);
        }
    }

    /// DPA-CHK-9: an actor stores over a store of a thread that may not have reached memory yet,
    /// and then comes last.
    ///
    /// DPA-CHK-3: between threads in DPA memory only the order can be missing.
    void overwrite(Access access, Write write) {
        ActorState by = access.by;
        ActorState writer = scene.actor(write.writer);
        if (!writer.isThread()) {
            return;
        }
        if (access.kind != WINDOW && by.isThread()) {
            readByThread(access, writer, write);
            return;
        }
        boolean window = access.kind == WINDOW;
        int sure = window ? Knowledge.OUT : Knowledge.ORDERED + access.kind;
        boolean performed = write.atomic || write.epoch <= by.knows(writer.number, sure);
        if (performed || isSeenByOthers(access, write, false)) {
            return;
        }
        boolean fenced = window && write.epoch <= by.knows(writer.number, Knowledge.OUT_BY_FENCE);
        report(
                fenced ? Rule.RELIES_ON_FENCE_SIDE_EFFECT : Rule.BUFFER_IN_FLIGHT,
                access,
                writer,
                write,
                window ? Operation.WINDOW_WRITEBACK : Operation.MEMORY_WRITEBACK);
    }

    /// Whether somebody has read the store before, in the same view, and the actor knows of that:
    /// then it is there, whatever orders it.
    ///
    /// DPA-MEM-3: one byte of it tells for all.
    private boolean isSeenByOthers(Access access, Write write, boolean outsideOnly) {
        if (access.by.hasRead(write.writer, write.epoch)) {
            return true;
        }
        for (Write later = access.page.writes(access.address); later != null; later = later.next) {
            if (later.overWriter == write.writer
                    && later.over == write.epoch
                    && access.by.hasRead(later.writer, later.epoch)) {
                return true;
            }
        }
        for (Read read = access.page.reads(access.address); read != null; read = read.next) {
            boolean counts =
                    read.reader != write.writer
                            && (read.mask & write.mask) != 0
                            && !(outsideOnly && scene.actor(read.reader).isThread());
            if (counts
                    && (read.reader == access.by.number
                            || access.by.hasSeen(read.reader, read.first))) {
                return true;
            }
        }
        return false;
    }

    private void report(
            Rule rule, Access access, ActorState writer, Write write, @Nullable Operation cure) {
        History.Lesson lesson = access.by.lesson(writer.number, write.epoch);
        Spot second = second(rule, access, lesson);
        int secondSite = rule == Rule.MISSING_FENCE || access.by.isThread() ? access.site : 0;
        ActorState other = access.by;
        if (lesson != null && secondSite == 0) {
            other = scene.actor(lesson.via());
            secondSite = lesson.viaSite();
        }
        if (!scene.findings.isNew(rule, writer, write.site, other, secondSite)) {
            return;
        }
        Spot first = scene.findings.spot(writer, "store", write.site);
        Optional<Mismatch> mismatch = Optional.empty();
        Optional<Remedy> remedy = Optional.empty();
        if (cure != null && lesson != null) {
            String action = lesson.kind() == AddressKind.OUTBOX ? "announcement" : "store";
            Spot end = scene.findings.spot(writer, action, lesson.site());
            remedy = Optional.of(new Remedy(cure, first, Optional.of(end)));
            if (rule != Rule.RELIES_ON_FENCE_SIDE_EFFECT && rule != Rule.BUFFER_IN_FLIGHT) {
                BarrierLog.Barrier barrier = writer.log.between(write.epoch, lesson.epoch());
                mismatch = scene.findings.mismatch(writer, barrier, cure);
            }
        }
        scene.findings.add(
                new Finding(
                        rule,
                        rule.severity(),
                        first,
                        second,
                        scene.findings.location(access.address),
                        mismatch,
                        remedy));
    }

    /// Who reads; for a NIC or host that was told by a doorbell, the doorbell.
    private Spot second(Rule rule, Access access, History.@Nullable Lesson lesson) {
        if (lesson != null && !access.by.isThread() && rule != Rule.MISSING_FENCE) {
            ActorState via = scene.actor(lesson.via());
            return scene.findings.spot(
                    via, "announcement to %s".formatted(access.by.name), lesson.viaSite());
        }
        return scene.findings.spot(access.by, "access", access.site);
    }

    private void reportForeign(Access access, ActorState writer, Write write, int tag) {
        ActorState by = access.by;
        int site = by.tag(writer.number, tag);
        ActorState foreign = scene.actor(by.tag(writer.number, tag + 1));
        if (!scene.findings.isNew(
                Rule.WRITEBACK_BY_OTHER_THREAD, writer, write.site, foreign, site)) {
            return;
        }
        Spot first = scene.findings.spot(writer, "store", write.site);
        boolean window = tag == Knowledge.FOREIGN_WINDOW_SITE;
        Operation cure = window ? Operation.WINDOW_WRITEBACK : Operation.MEMORY_WRITEBACK;
        History.Lesson lesson = foreign.lesson(writer.number, write.epoch);
        Optional<Spot> end =
                lesson == null
                        ? Optional.empty()
                        : Optional.of(scene.findings.spot(writer, "store", lesson.site()));
        scene.findings.add(
                new Finding(
                        Rule.WRITEBACK_BY_OTHER_THREAD,
                        Rule.WRITEBACK_BY_OTHER_THREAD.severity(),
                        first,
                        scene.findings.spot(foreign, cure.litmus(), site),
                        scene.findings.location(access.address),
                        Optional.empty(),
                        Optional.of(new Remedy(cure, first, end))));
    }
}
