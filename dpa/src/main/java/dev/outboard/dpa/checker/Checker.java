package dev.outboard.dpa.checker;

import static dev.outboard.dpa.checker.AddressKind.WINDOW;

import dev.outboard.dpa.checker.ShadowMemory.Page;
import dev.outboard.dpa.checker.ShadowMemory.Write;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Profile;
import dev.outboard.dpa.machine.Sites;
import dev.outboard.dpa.machine.Space;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Follows a run and finds missing fences, writebacks and invalidations, from any execution that
/// contains the mistake and not only from one that goes wrong.
///
/// For each actor it keeps vector clocks of what the actor goes by, and of what it may rely on:
/// what is ordered for DPA threads, and what is pushed for NIC and host. A store carries both as of
/// the last matching fence or writeback, and a load joins them. A load of something that the actor
/// goes by, but may not rely on, is a finding.
///
/// One object follows one run, in whatever threads, one call at a time. Once warm it allocates
/// nothing.
public final class Checker implements Observer {
    private final Scene scene;
    private final Visibility visibility;
    private final WindowReads windowReads;
    private final Races races;
    private final Polls polls;
    private final Queues queues;
    private final InFlight inFlight;
    private final Blocks blocks;
    private final Usage usage;
    private final Activations activations;
    private final Announcements announcements;
    private final Access access;
    private final List<Member> cast = new ArrayList<>();
    private final boolean redundant;

    /// The latest store that the current one overwrites and that comes before it for sure.
    private int overWriter;

    private long over;

    private record Member(ActorKind kind, String name) {}

    /// A checker of one run.
    ///
    /// @param profile by which the run is judged
    /// @param redundant whether barriers that never had anything to do are reported
    public Checker(Profile profile, boolean redundant) {
        this.redundant = redundant;
        scene = new Scene(profile, new Findings());
        visibility = new Visibility(scene);
        windowReads = new WindowReads(scene);
        races = new Races(scene);
        polls = new Polls(scene);
        queues = new Queues(scene);
        inFlight = new InFlight(scene);
        blocks = new Blocks(scene);
        usage = new Usage(scene);
        activations = new Activations(scene);
        announcements = new Announcements(scene.snapshots);
        ActorState nobody =
                new ActorState(-1, ActorKind.PEER, "nobody", profile, 0, scene.snapshots);
        access = new Access(nobody, scene.memory.page(0));
    }

    /// What was found, in the order in which it became certain; complete once the run is
    /// [#finished].
    public List<Finding> findings() {
        return scene.findings.all();
    }

    @Override
    public void sites(Sites sites) {
        scene.findings.sites(sites);
    }

    @Override
    public void actor(int actor, ActorKind kind, String name) {
        if (actor != cast.size()) {
            throw new IllegalArgumentException(
                    "Actor '%s' has the number %d, and the next one is %d"
                            .formatted(name, actor, cast.size()));
        }
        cast.add(new Member(kind, name));
    }

    @Override
    public void started() {
        enlist();
        queues.started();
    }

    @Override
    public void joined() {
        enlist();
        queues.started();
    }

    /// The actors that were told take part from now on.
    private void enlist() {
        scene.actors().forEach(actor -> actor.reach(cast.size()));
        for (Member member : cast.subList(scene.actors().size(), cast.size())) {
            scene.add(
                    new ActorState(
                            scene.actors().size(),
                            member.kind(),
                            member.name(),
                            scene.profile,
                            cast.size(),
                            scene.snapshots));
        }
    }

    @Override
    public void initialize(long address, long lengthBytes) {
        scene.memory.initialize(address, lengthBytes);
    }

    @Override
    public void name(long address, long lengthBytes, String name) {
        scene.findings.name(address, lengthBytes, name);
    }

    @Override
    public void stack(int actor, long address, long lengthBytes) {
        blocks.stack(actor, address, lengthBytes);
    }

    @Override
    public void allocate(long address, long lengthBytes, int site) {
        scene.nextEvent();
        scene.memory.forget(address, lengthBytes);
        inFlight.forget(address, lengthBytes);
        blocks.allocate(address, lengthBytes, site);
    }

    @Override
    public void free(long address, int site) {
        blocks.free(address, site);
    }

    @Override
    public void role(long address, long lengthBytes, WordRole role, int queue) {
        queues.role(role, address, lengthBytes, queue);
    }

    @Override
    public void doorbellOf(int queue, long register) {
        queues.doorbellOf(queue, register);
        activations.doorbellOf(queue, register);
    }

    @Override
    public void load(int actor, long address, int lengthBytes, int site) {
        ActorState by = scene.actor(actor);
        if (by.isThread()) {
            threadLoad(by, address, lengthBytes, site, false);
            return;
        }
        for (long at = address; at < address + lengthBytes; ) {
            int piece = piece(at, address + lengthBytes);
            Page page = scene.memory.page(at);
            access.set(by, page, at, ShadowMemory.mask(at, piece), AddressKind.of(at), site);
            observe(false);
            scene.memory.read(page, at, access.mask, actor, by.epoch() + 1, site);
            at += piece;
        }
    }

    /// How many bytes lie in one granule.
    private static int piece(long address, long end) {
        long next = (address & -ShadowMemory.GRANULE) + ShadowMemory.GRANULE;
        return (int) (Math.min(next, end) - address);
    }

    private void threadLoad(ActorState by, long address, int length, int site, boolean atomic) {
        int kind = AddressKind.of(address);
        if (kind == AddressKind.OUTBOX) {
            return;
        }
        if (by.barriers.isAwaiting()) {
            by.barriers.loaded(kind);
            by.changed();
        }
        Page page = scene.memory.page(address);
        polls.load(by, page, address, kind, site);
        blocks.access(by, page, address, length, kind, true, site);
        access.set(by, page, address, ShadowMemory.mask(address, length), kind, site);
        observe(atomic);
        if (kind == WINDOW) {
            windowReads.fetch(access);
        }
        scene.memory.read(page, address, access.mask, by.number, by.epoch() + 1, site).atomic =
                atomic;
    }

    /// Looks at the stores that the current access reads, and learns what they carry.
    private void observe(boolean atomic) {
        ActorState by = access.by;
        Page page = access.page;
        long address = access.address;
        boolean poll = scene.isPoll(access.site);
        boolean ignored = false;
        access.sign = poll;
        for (Role role = page.role(address); role != null; role = role.next) {
            if (role.overlaps(address, Integer.bitCount(access.mask))) {
                access.sign |= role.isSign();
                ignored |= role.word == WordRole.IGNORED_INDEX;
                if (role.word == WordRole.SYNDROME) {
                    polls.looked(by);
                }
            }
        }
        for (Write write = page.writes(address); write != null; write = write.next) {
            if ((write.mask & access.mask) == 0 || write.writer == by.number) {
                continue;
            }
            if (!by.hasSeen(write.writer, write.epoch)) {
                if (by.isThread() && access.kind != WINDOW && !access.sign && !atomic) {
                    races.read(access, write);
                }
            } else if (!poll) {
                if (by.isThread() && access.kind == WINDOW) {
                    windowReads.stale(access, write);
                }
                if (!ignored) {
                    visibility.read(access, write);
                }
            }
            if (poll) {
                queues.polled(access, write);
            }
            boolean isNew =
                    by.join(
                            write.writer,
                            write.epoch,
                            write.site,
                            access.kind,
                            write.carried,
                            access.site);
            if (isNew && by.isThread()) {
                queues.learned(by, access.site);
            }
        }
    }

    @Override
    public void store(int actor, long address, int lengthBytes, int site) {
        ActorState by = scene.actor(actor);
        if (by.isThread()) {
            threadStore(by, address, lengthBytes, site, false);
            return;
        }
        for (long at = address; at < address + lengthBytes; ) {
            int piece = piece(at, address + lengthBytes);
            Page page = scene.memory.page(at);
            int kind = AddressKind.of(at);
            access.set(by, page, at, ShadowMemory.mask(at, piece), kind, site);
            overwrite();
            if (kind == WINDOW) {
                races.storeOutside(access);
            }
            write(by, false);
            at += piece;
        }
    }

    private void threadStore(ActorState by, long address, int length, int site, boolean atomic) {
        int kind = AddressKind.of(address);
        if (kind == AddressKind.OUTBOX) {
            return;
        }
        Page page = scene.memory.page(address);
        if (!Polls.isLocal(address)) {
            polls.acted(by);
        }
        inFlight.store(by, address, length, site);
        blocks.access(by, page, address, length, kind, false, site);
        access.set(by, page, address, ShadowMemory.mask(address, length), kind, site);
        overwrite();
        Role role = page.role(address);
        if (kind == WINDOW) {
            races.storeOutside(access);
        } else if (!atomic && !isSign(role, address, length)) {
            races.store(access);
        }
        write(by, atomic);
        if (role != null) {
            queues.store(by, role, address, length, by.epoch(), site);
        }
        by.latest[kind] = by.epoch();
        if (kind == WINDOW) {
            by.unwritten.add(address & -ShadowMemory.GRANULE, by.epoch(), site);
        }
    }

    private static boolean isSign(@Nullable Role first, long address, int length) {
        for (Role role = first; role != null; role = role.next) {
            if (role.isSign() && role.overlaps(address, length)) {
                return true;
            }
        }
        return false;
    }

    /// Looks at the stores that the current access overwrites.
    private void overwrite() {
        over = 0;
        long latest = 0;
        for (Write write = access.page.writes(access.address); write != null; write = write.next) {
            if ((write.mask & access.mask) == 0) {
                continue;
            }
            boolean own = write.writer == access.by.number;
            if (!own && access.by.hasSeen(write.writer, write.epoch)) {
                visibility.overwrite(access, write);
            }
            boolean before = own || access.by.hasRead(write.writer, write.epoch);
            if (before && write.sequence > latest) {
                latest = write.sequence;
                over = write.epoch;
                overWriter = write.writer;
            }
        }
    }

    private void write(ActorState by, boolean atomic) {
        Snapshot carried = by.carried(access.kind);
        Write write = scene.memory.store(access.page, access.address, access.mask, carried);
        write.writer = by.number;
        write.epoch = by.advance();
        write.sequence = scene.nextEvent();
        write.site = access.site;
        write.atomic = atomic;
        write.failure = null;
        write.over = over;
        write.overWriter = overWriter;
    }

    @Override
    public void atomic(
            int actor, long address, int lengthBytes, AtomicOrder order, boolean stored, int site) {
        ActorState by = scene.actor(actor);
        threadLoad(by, address, lengthBytes, site, true);
        if (stored) {
            if (order.releases()) {
                by.barriers.released(by.epoch());
                by.changed();
            }
            threadStore(by, address, lengthBytes, site, true);
        }
    }

    @Override
    public void spin(int actor, int site) {
        polls.spin(scene.actor(actor), site);
    }

    @Override
    public void endless(int actor, int site) {
        polls.endless(scene.actor(actor), site);
    }

    @Override
    public void fence(int actor, Space space, Op predecessors, Op successors, int site) {
        ActorState by = scene.actor(actor);
        if (redundant) {
            usage.barrier(by, "fence", usage.isUseful(by, space, predecessors, successors), site);
        }
        by.barriers.fence(by.epoch(), space, predecessors, successors);
        by.log.fence(by.epoch(), scene.nextEvent(), space, predecessors, successors, site);
        boolean window = AddressKind.covers(space, WINDOW);
        if (window && successors.reads()) {
            if (predecessors.reads() && scene.profile.fencesInvalidate()) {
                by.copies.invalidate();
            } else if (scene.profile != Profile.PARANOID) {
                boolean stores = by.latest[WINDOW] > 0 || by.latest[AddressKind.OUTBOX] > 0;
                if (predecessors.writes() && stores) {
                    by.copies.fenceAfterStores();
                } else if (predecessors.reads()) {
                    by.copies.fence();
                }
            }
        }
        by.changed();
    }

    @Override
    public void memoryWriteback(int actor, int site) {
        ActorState by = scene.actor(actor);
        if (redundant) {
            boolean useful =
                    Math.max(by.latest[AddressKind.HEAP], by.latest[AddressKind.REST])
                            > by.barriers.pushed(AddressKind.HEAP);
            usage.barrier(by, "memory_writeback", useful, site);
        }
        by.barriers.memoryWriteback(by.epoch());
        by.log.memoryWriteback(by.epoch(), scene.nextEvent(), site);
        by.wroteBackForOthers(
                scene.actors().size(),
                Knowledge.FOREIGN_MEMORY,
                Knowledge.FOREIGN_MEMORY_SITE,
                site);
        by.changed();
    }

    @Override
    public void windowWriteback(int actor, int site) {
        ActorState by = scene.actor(actor);
        if (redundant) {
            boolean useful = by.latest[WINDOW] > by.barriers.pushed(WINDOW);
            usage.barrier(by, "window_writeback", useful, site);
        }
        by.barriers.windowWriteback(by.epoch());
        by.log.windowWriteback(by.epoch(), scene.nextEvent(), site);
        by.wroteBackForOthers(
                scene.actors().size(),
                Knowledge.FOREIGN_WINDOW,
                Knowledge.FOREIGN_WINDOW_SITE,
                site);
        by.unwritten.clear();
        by.changed();
    }

    @Override
    public void windowReadInv(int actor, int site) {
        ActorState by = scene.actor(actor);
        if (redundant) {
            usage.barrier(by, "read_inv", !by.copies.isEmpty(), site);
        }
        by.copies.invalidate();
    }

    @Override
    public void configureWindow(int actor, int site) {
        ActorState by = scene.actor(actor);
        by.barriers.windowWriteback(by.epoch());
        by.unwritten.clear();
        by.copies.invalidate();
        by.changed();
    }

    @Override
    public void order(int actor) {
        scene.actor(actor).order();
    }

    @Override
    public void announce(int actor, Announcement announcement, long token, long address, int site) {
        ActorState by = scene.actor(actor);
        if (announcement == Announcement.DONE) {
            Snapshot unordered = by.unordered();
            announcements.announce(token, actor, by.advance(), site, unordered);
            scene.snapshots.release(unordered);
            return;
        }
        Snapshot carried = by.carried(AddressKind.OUTBOX);
        announcements.announce(token, actor, by.advance(), site, carried);
        by.latest[AddressKind.OUTBOX] = by.epoch();
        if (by.isThread()) {
            polls.acted(by);
            activations.rung(address);
            if (announcement == Announcement.RETURN) {
                queues.returned(by, site);
            } else {
                queues.ring(by, address);
            }
        }
    }

    @Override
    public void receive(int actor, long token, int site) {
        announcements.receive(scene.actor(actor), token, site);
    }

    @Override
    public void posted(
            int actor, long token, long address, long lengthBytes, boolean written, int site) {
        inFlight.post(scene.actor(actor), token, address, lengthBytes, site);
    }

    @Override
    public void completed(int nic, long token) {
        inFlight.completed(scene.actor(nic), token);
    }

    @Override
    public void failed(int nic, long address, long lengthBytes) {
        polls.failed(scene.actor(nic), address, lengthBytes);
    }

    @Override
    public void begin(int actor, boolean handler, long token) {
        ActorState by = scene.actor(actor);
        scene.nextEvent();
        by.ended = false;
        blocks.begin(actor);
        usage.begin(by);
        activations.begin(by, handler);
        if (token != 0) {
            announcements.receive(by, token, 0);
        }
    }

    @Override
    public void end(int actor, Ending ending, int site) {
        ActorState by = scene.actor(actor);
        by.ended = true;
        if (ending != Ending.FAULT) {
            queues.end(by, site);
            activations.end(by, ending, site);
        }
    }

    @Override
    public void attach(int queue, int actor, boolean alwaysArmed) {
        activations.attach(queue, actor, alwaysArmed);
    }

    @Override
    public void arm(int queue) {
        activations.armed(queue);
    }

    @Override
    public void fire(int queue) {
        activations.fired(queue);
    }

    @Override
    public void waiting(int queue, int entries) {
        activations.waiting(queue, entries);
    }

    @Override
    public void counter(int actor, Counter counter, int unit, int site) {
        usage.counter(scene.actor(actor), counter, unit, site);
    }

    @Override
    public void stuck(int[] spinning) {
        for (int actor : spinning) {
            ActorState by = scene.actor(actor);
            if (!queues.unrung(by, polls.site(by))) {
                polls.stuck(by);
            }
        }
    }

    @Override
    public void finished() {
        races.finish();
        queues.finished();
        if (redundant) {
            usage.redundant();
        }
    }
}
