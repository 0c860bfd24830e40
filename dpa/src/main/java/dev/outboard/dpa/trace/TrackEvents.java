package dev.outboard.dpa.trace;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A trace as packets of Perfetto: a track for each execution unit, and for each process one for
/// its host, its NIC, each of its queues and each of its threads, and below that of a thread what
/// it has posted. A slice is an activation, an entry of a queue pair, or an operation from its
/// doorbell to its end; doorbells and completions are instants.
final class TrackEvents {
    static final int PACKET = 1;

    // Of a packet.
    private static final int TIMESTAMP = 8;
    static final int SEQUENCE = 10;
    static final int TRACK_EVENT = 11;
    static final int TRACK_DESCRIPTOR = 60;

    // Of a track descriptor.
    static final int UUID = 1;
    private static final int NAME = 2;
    static final int PROCESS = 3;
    static final int PARENT = 5;
    private static final int CHILD_ORDERING = 11;
    private static final int SIBLING_RANK = 12;

    /// Tracks of a group are in the order of their ranks.
    private static final int EXPLICIT = 3;

    // Of a process descriptor.
    static final int PID = 1;
    private static final int PROCESS_NAME = 6;

    // Of a track event.
    private static final int ANNOTATION = 4;
    private static final int TYPE = 9;
    static final int TRACK = 11;
    private static final int EVENT_NAME = 23;
    static final int FLOW = 47;
    static final int LAST_OF_FLOW = 48;

    // Types of track events.
    private static final int SLICE_BEGIN = 1;
    private static final int SLICE_END = 2;
    private static final int INSTANT = 3;

    // Of an annotation.
    private static final int UNSIGNED = 3;
    private static final int TEXT = 6;
    private static final int ANNOTATION_NAME = 10;

    private static final int PART_SHIFT = 32;
    private static final int PID_SHIFT = 16;
    private static final int RANK_SHIFT = 24;
    private static final int NO_EVENT = -1;

    /// In the number of the sequence of what is beside the DPA.
    private static final int OUTSIDE = 1 << 15;

    private final Trace trace;
    private final OutputStream out;
    private final Arrows arrows;

    /// What numbers that are unique in a file begin at.
    private final long base;

    /// The number of the sequence of packets that is written.
    private int sequence;

    private final long zero;
    private final long units;
    private long nextUuid;
    private int nextPid;
    private final Map<Timeline, Long> groups = new HashMap<>();
    private final Map<Track, Long> uuids = new HashMap<>();

    /// Execution units by the threads that have them.
    private final Map<Track, Integer> running = new LinkedHashMap<>();

    /// What threads run of kernels, whether they have a unit or not.
    private final Map<Track, String> kernels = new HashMap<>();

    /// Queue pairs that execute an entry.
    private final Set<Track> working = new LinkedHashSet<>();

    private final ProtoMessage packet = new ProtoMessage();
    private final ProtoMessage body = new ProtoMessage();
    private final ProtoMessage part = new ProtoMessage();
    private final ProtoMessage event = new ProtoMessage();

    private final Operations operations;

    /// By track of a thread or the host: where operations go that it has posted.
    private final Map<Track, List<Lane>> lanes = new HashMap<>();

    /// The lanes of operations that have not ended.
    private final Map<Operations.Operation, Lane> busy = new LinkedHashMap<>();

    /// A track below that of whoever has posted, for one operation at a time. Perfetto shows all
    /// lanes of one parent as one track.
    private static final class Lane {
        private final long uuid;
        private boolean isFree = true;

        private Lane(long uuid) {
            this.uuid = uuid;
        }
    }

    /// What a track is of; the first comes first.
    private enum Of {
        UNIT,
        HOST,
        NIC,
        QUEUE_PAIR,
        COMPLETION_QUEUE,
        THREAD
    }

    /// A track. Units belong to no process.
    private record Track(Timeline process, Of of, int number) {}

    /// Of a trace that has ended.
    ///
    /// @param zero what is added to all times
    TrackEvents(Trace trace, int part, long zero, OutputStream out) throws IOException {
        this.zero = zero;
        this.trace = trace;
        this.out = out;
        arrows = new Arrows(trace);
        operations = new Operations(trace);
        base = (long) part << PART_SHIFT;
        sequence = part + 1;
        nextUuid = base + 1;
        nextPid = sequence << PID_SHIFT;
        units =
                trace.told() > 0 || trace.slices().isEmpty()
                        ? group("execution units (" + trace.clockName() + ")")
                        : 0;
    }

    void write() throws IOException {
        int own = sequence;
        sequence |= OUTSIDE;
        new OutsideTracks().write();
        sequence = own;
        beginRunning();
        for (int index = 0; index < trace.told(); index++) {
            write(index);
        }
        long last = trace.end();
        for (Track thread : List.copyOf(running.keySet())) {
            endThread(thread, last);
        }
        for (Track pair : working) {
            event(SLICE_END, uuid(pair, ""), last);
        }
        for (Lane lane : busy.values()) {
            event(SLICE_END, lane.uuid, last);
        }
        if (trace.lost() > 0) {
            start(INSTANT, units == 0 ? group("trace") : units);
            event.text(EVENT_NAME, "the trace is full: %d events lost".formatted(trace.lost()));
            finish(last);
        }
    }

    /// Threads that had a unit at the begin: those that gave one back first, and those of which
    /// nothing is told.
    private void beginRunning() throws IOException {
        Set<Track> told = new HashSet<>();
        for (int index = 0; index < trace.told(); index++) {
            boolean ends = trace.event(index) == Trace.Event.END;
            if (ends || trace.event(index) == Trace.Event.BEGIN) {
                Track thread = new Track(trace.process(index), Of.THREAD, trace.who(index));
                if (told.add(thread) && ends) {
                    beginThread(thread, trace.name(index), trace.value(index), NO_EVENT);
                }
            }
        }
        for (Trace.Running one : trace.running()) {
            Track thread = new Track(one.process(), Of.THREAD, one.thread());
            if (told.add(thread)) {
                beginThread(thread, one.name(), one.unit(), NO_EVENT);
            }
        }
    }

    private void write(int index) throws IOException {
        Timeline process = trace.process(index);
        int value = trace.value(index);
        long nanos = trace.nanos(index);
        Track thread = new Track(process, Of.THREAD, trace.who(index));
        Track pair = new Track(process, Of.QUEUE_PAIR, trace.queue(index));
        switch (trace.event(index)) {
            case BEGIN -> beginThread(thread, trace.name(index), value, index);
            case END -> endThread(thread, nanos);
            case BEGIN_KERNEL -> beginKernel(thread, index);
            case END_KERNEL -> {
                endKernel(thread, nanos);
                kernels.remove(thread);
            }
            case RING -> {
                Integer unit = running.get(thread);
                long track =
                        unit == null
                                ? uuid(new Track(process, Of.HOST, 0), "host")
                                : uuid(new Track(Timeline.OFF, Of.UNIT, unit), "");
                instant(track, doorbell(index), index);
            }
            case TAKE -> {
                Track nic = new Track(process, Of.NIC, trace.who(index));
                instant(uuid(nic, "NIC"), "takes " + doorbell(index), index);
            }
            case WORK -> {
                start(SLICE_BEGIN, uuid(pair, "queue pair " + hex(index)), index);
                event.text(EVENT_NAME, "entry " + value);
                annotate("operation", trace.name(index));
                annotate("bytes", (int) trace.token(index));
                finish(nanos);
                working.add(pair);
            }
            case HAND -> {
                if (working.remove(pair)) {
                    event(SLICE_END, uuid(pair, ""), nanos);
                }
            }
            case DONE -> {
                if (working.remove(pair)) {
                    start(SLICE_END, uuid(pair, ""));
                    annotate("syndrome", value);
                    finish(nanos);
                }
            }
            case COMPLETE -> {
                Track queue = new Track(process, Of.COMPLETION_QUEUE, trace.queue(index));
                String name = "entry " + trace.token(index);
                instant(uuid(queue, "completion queue " + hex(index)), name, index);
            }
            case COMMAND, FIRE -> {
                // Only an arrow.
            }
            case POSTED, ENDED -> {
                // Told with an operation.
            }
        }
        for (Operations.Operation begun : operations.begun(index)) {
            beginOperation(begun);
        }
        for (Operations.Operation ended : operations.ended(index)) {
            endOperation(ended, nanos);
        }
    }

    // Operations: on lanes of the thread that has posted them

    private void beginOperation(Operations.Operation operation) throws IOException {
        int posted = operation.posted();
        int begun = operation.begun();
        Track poster = new Track(trace.process(posted), Of.THREAD, trace.who(posted));
        if (!running.containsKey(poster)) {
            poster = new Track(trace.process(posted), Of.HOST, 0);
        }
        Lane lane = freeLane(poster);
        lane.isFree = false;
        busy.put(operation, lane);
        start(SLICE_BEGIN, lane.uuid);
        event.text(EVENT_NAME, trace.name(begun));
        annotate("bytes", (int) trace.token(begun));
        annotate("queue pair", trace.queue(begun));
        annotate("entry", trace.value(begun));
        if (!operation.purpose().isEmpty()) {
            annotate("for", operation.purpose());
        }
        finish(trace.nanos(posted));
    }

    private void endOperation(Operations.Operation operation, long nanos) throws IOException {
        Lane lane = busy.remove(operation);
        if (lane != null) {
            lane.isFree = true;
            start(SLICE_END, lane.uuid);
            annotate("syndrome", operation.syndrome());
            finish(nanos);
        }
    }

    private Lane freeLane(Track poster) throws IOException {
        List<Lane> known = lanes.computeIfAbsent(poster, key -> new ArrayList<>());
        for (Lane lane : known) {
            if (lane.isFree) {
                return lane;
            }
        }
        String of = poster.of == Of.HOST ? "the host" : "thread " + poster.number;
        long parent = uuid(poster, "host");
        Lane lane = new Lane(describe("operations of " + of, parent, known.size()));
        known.add(lane);
        return lane;
    }

    private String hex(int index) {
        return "0x%x".formatted(trace.queue(index));
    }

    private String doorbell(int index) {
        return switch (trace.value(index)) {
            case AddressMap.SEND_DOORBELL -> "doorbell of queue pair " + hex(index);
            case AddressMap.ARM_DOORBELL -> "arming of completion queue " + hex(index);
            case AddressMap.MSIX_DOORBELL -> "interrupt of the host";
            case Doorbell.COMMAND -> "command of the host";
            default -> "doorbell 0x%x of queue %s".formatted(trace.value(index), hex(index));
        };
    }

    // Slices of threads: on the track of the unit, and on that of the thread

    private void beginThread(Track thread, String name, int unit, int index) throws IOException {
        long nanos = index == NO_EVENT ? 0 : trace.nanos(index);
        long onUnit = uuid(new Track(Timeline.OFF, Of.UNIT, unit), "unit " + unit);
        start(SLICE_BEGIN, onUnit, index);
        event.text(EVENT_NAME, name);
        annotate("thread", thread.number);
        annotate("process", thread.process.name());
        finish(nanos);
        start(SLICE_BEGIN, uuid(thread, "%s (thread %d)".formatted(name, thread.number)));
        event.text(EVENT_NAME, "unit " + unit);
        finish(nanos);
        running.put(thread, unit);
        showKernel(thread, nanos);
    }

    private void beginKernel(Track thread, int index) throws IOException {
        String rank = "rank %d of %d".formatted(trace.value(index), trace.queue(index));
        kernels.put(thread, trace.name(index) + ", " + rank);
        showKernel(thread, trace.nanos(index));
    }

    /// Inside of what is shown of the thread.
    private void showKernel(Track thread, long nanos) throws IOException {
        String kernel = kernels.get(thread);
        Integer unit = running.get(thread);
        if (kernel == null || unit == null) {
            return;
        }
        for (Track track : List.of(thread, new Track(Timeline.OFF, Of.UNIT, unit))) {
            start(SLICE_BEGIN, uuid(track, ""));
            event.text(EVENT_NAME, kernel);
            finish(nanos);
        }
    }

    private void endKernel(Track thread, long nanos) throws IOException {
        Integer unit = running.get(thread);
        if (kernels.containsKey(thread) && unit != null) {
            event(SLICE_END, uuid(thread, ""), nanos);
            event(SLICE_END, uuid(new Track(Timeline.OFF, Of.UNIT, unit), ""), nanos);
        }
    }

    private void endThread(Track thread, long nanos) throws IOException {
        endKernel(thread, nanos);
        Integer unit = running.remove(thread);
        if (unit != null) {
            event(SLICE_END, uuid(thread, ""), nanos);
            event(SLICE_END, uuid(new Track(Timeline.OFF, Of.UNIT, unit), ""), nanos);
        }
    }

    // Packets

    private void instant(long track, String name, int index) throws IOException {
        start(INSTANT, track, index);
        event.text(EVENT_NAME, name);
        finish(trace.nanos(index));
    }

    private void event(int type, long track, long nanos) throws IOException {
        start(type, track);
        finish(nanos);
    }

    private void start(int type, long track) {
        event.clear().number(TYPE, type).number(TRACK, track);
    }

    /// The same with the arrows of an event of the trace.
    private void start(int type, long track, int index) {
        start(type, track);
        if (index != NO_EVENT) {
            arrows.from(index, arrow -> event.fixed64(FLOW, base + arrow + 1));
            arrows.to(index, arrow -> event.fixed64(LAST_OF_FLOW, base + arrow + 1));
        }
    }

    private void annotate(String name, int value) {
        part.clear().text(ANNOTATION_NAME, name).number(UNSIGNED, Integer.toUnsignedLong(value));
        event.message(ANNOTATION, part);
    }

    private void annotate(String name, String value) {
        part.clear().text(ANNOTATION_NAME, name).text(TEXT, value);
        event.message(ANNOTATION, part);
    }

    private void finish(long nanos) throws IOException {
        body.clear()
                .number(TIMESTAMP, zero + nanos)
                .number(SEQUENCE, sequence)
                .message(TRACK_EVENT, event);
        writePacket();
    }

    private void writePacket() throws IOException {
        packet.clear().message(PACKET, body);
        packet.writeTo(out);
    }

    // Tracks

    /// A group of tracks, which Perfetto shows as a process.
    private long group(String name) throws IOException {
        long uuid = nextUuid++;
        part.clear().number(PID, nextPid++).text(PROCESS_NAME, name);
        ProtoMessage descriptor = new ProtoMessage();
        descriptor.number(UUID, uuid).text(NAME, name).message(PROCESS, part);
        descriptor.number(CHILD_ORDERING, EXPLICIT);
        describe(descriptor);
        return uuid;
    }

    /// @param name of the track, if it is a new one
    private long uuid(Track track, String name) throws IOException {
        Long known = uuids.get(track);
        if (known != null) {
            return known;
        }
        long parent = track.of == Of.UNIT ? units : group(track.process);
        int rank = (track.of.ordinal() << RANK_SHIFT) + track.number;
        long uuid = describe(name, parent, rank);
        uuids.put(track, uuid);
        return uuid;
    }

    private long describe(String name, long parent, int rank) throws IOException {
        long uuid = nextUuid++;
        ProtoMessage descriptor = new ProtoMessage();
        descriptor.number(UUID, uuid).text(NAME, name);
        descriptor.number(PARENT, parent).number(SIBLING_RANK, rank);
        describe(descriptor);
        return uuid;
    }

    private long group(Timeline process) throws IOException {
        Long known = groups.get(process);
        if (known != null) {
            return known;
        }
        long made =
                group(process.name().isEmpty() ? "process" : "process of app " + process.name());
        groups.put(process, made);
        return made;
    }

    private void describe(ProtoMessage descriptor) throws IOException {
        body.clear().number(SEQUENCE, sequence).message(TRACK_DESCRIPTOR, descriptor);
        writePacket();
    }

    // What is beside the DPA

    /// The slices of a trace that the machine has not told, on lanes for those that overlap.
    private final class OutsideTracks {
        private final Map<String, Long> processes = new HashMap<>();
        private final Map<String, List<Long>> lanes = new HashMap<>();
        private final Map<Long, Long> endOfLane = new HashMap<>();

        /// A begin or an end.
        private record Edge(long nanos, boolean isBegin, long lane, Trace.Slice slice) {}

        void write() throws IOException {
            List<Edge> edges = new ArrayList<>();
            List<Trace.Slice> slices = new ArrayList<>(trace.slices());
            slices.sort(Comparator.comparingLong(Trace.Slice::from));
            for (Trace.Slice slice : slices) {
                long lane = lane(slice);
                edges.add(new Edge(slice.from(), true, lane, slice));
                edges.add(new Edge(slice.to(), false, lane, slice));
            }
            edges.sort(Comparator.comparingLong(Edge::nanos));
            for (Edge edge : edges) {
                write(edge);
            }
        }

        private void write(Edge edge) throws IOException {
            start(edge.isBegin ? SLICE_BEGIN : SLICE_END, edge.lane);
            if (edge.isBegin) {
                event.text(EVENT_NAME, edge.slice.name());
                if (edge.slice.flow() < 0) {
                    event.fixed64(FLOW, edge.slice.flow());
                }
            }
            finish(edge.nanos);
        }

        /// The first one where nothing is going on.
        private long lane(Trace.Slice slice) throws IOException {
            Long group = processes.get(slice.group());
            if (group == null) {
                group = group(slice.group());
                processes.put(slice.group(), group);
            }
            List<Long> known =
                    lanes.computeIfAbsent(
                            slice.group() + "/" + slice.track(), key -> new ArrayList<>());
            for (long lane : known) {
                if (endOfLane.getOrDefault(lane, 0L) <= slice.from()) {
                    endOfLane.put(lane, slice.to());
                    return lane;
                }
            }
            long lane = describe(slice.track(), group, lanes.size());
            known.add(lane);
            endOfLane.put(lane, slice.to());
            return lane;
        }
    }
}
