package dev.outboard.testkit;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// A trace as a reader of Perfetto's published schema understands it. It knows no field but those
/// of the schema that traces use, each with its number and type, and checks what the schema asks
/// for.
public final class TraceFile {
    /// Message, number, name and type, as protos/perfetto/trace/trace.proto, trace_packet.proto and
    /// the files of track_event beside it have them.
    private static final String SCHEMA =
            """
            Trace             1  packet                      TracePacket
            TracePacket       8  timestamp                   uint64
            TracePacket      10  trusted_packet_sequence_id  uint32
            TracePacket      11  track_event                 TrackEvent
            TracePacket      60  track_descriptor            TrackDescriptor
            TrackDescriptor   1  uuid                        uint64
            TrackDescriptor   2  name                        string
            TrackDescriptor   3  process                     ProcessDescriptor
            TrackDescriptor   5  parent_uuid                 uint64
            TrackDescriptor  11  child_ordering              enum
            TrackDescriptor  12  sibling_order_rank          int32
            ProcessDescriptor 1  pid                         int32
            ProcessDescriptor 6  process_name                string
            TrackEvent        4  debug_annotations           DebugAnnotation
            TrackEvent        9  type                        enum
            TrackEvent       11  track_uuid                  uint64
            TrackEvent       23  name                        string
            TrackEvent       47  flow_ids                    fixed64
            TrackEvent       48  terminating_flow_ids        fixed64
            DebugAnnotation   3  uint_value                  uint64
            DebugAnnotation   6  string_value                string
            DebugAnnotation  10  name                        string
            """;

    private static final Set<String> REPEATED =
            Set.of("packet", "debug_annotations", "flow_ids", "terminating_flow_ids");
    private static final int EXPLICIT = 3;

    private final Map<String, Field> schema =
            SCHEMA.lines()
                    .map(line -> line.split(" +"))
                    .collect(
                            toMap(
                                    words -> words[0] + " " + words[1],
                                    words -> new Field(words[2], words[3])));
    private final Map<Long, Track> tracks = new LinkedHashMap<>();
    private final List<Slice> slices = new ArrayList<>();
    private final List<Slice> instants = new ArrayList<>();
    private final Map<Long, List<Slice>> joined = new HashMap<>();
    private final Map<Long, Slice> flowBegins = new HashMap<>();
    private final Map<Long, Slice> flowEnds = new HashMap<>();

    private record Field(String name, String type) {}

    /// A track, or a group of tracks, whose parent is itself.
    public record Track(String group, String name) {}

    /// A slice, or an instant, which ends when it begins.
    ///
    /// @param notes its annotations, those of its begin and of its end
    public record Slice(
            Track track, String name, long begin, long[] end, Map<String, Object> notes) {
        /// When it ended.
        public long ended() {
            return end[0];
        }
    }

    /// An arrow.
    public record Flow(Slice from, Slice to) {}

    private TraceFile() {}

    /// Reads a file.
    public static TraceFile read(byte... bytes) {
        TraceFile file = new TraceFile();
        file.take(file.message("Trace", ByteBuffer.wrap(bytes)));
        return file;
    }

    // The encoding

    private Map<String, List<Object>> message(String type, ByteBuffer bytes) {
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        Map<String, List<Object>> fields = new HashMap<>();
        while (bytes.hasRemaining()) {
            long tag = varint(bytes);
            String key = type + " " + (tag >>> 3);
            assertThat(schema).containsKey(key);
            Field field = Objects.requireNonNull(schema.get(key));
            assertThat(tag & 7).as("wire type of %s", field).isEqualTo(wireType(field.type));
            List<Object> values = fields.computeIfAbsent(field.name, name -> new ArrayList<>());
            values.add(value(field.type, bytes));
            assertThat(values.size() == 1 || REPEATED.contains(field.name)).as(key).isTrue();
        }
        return fields;
    }

    private static long wireType(String type) {
        return switch (type) {
            case "uint64", "uint32", "int32", "enum" -> 0;
            case "fixed64" -> 1;
            default -> 2;
        };
    }

    private Object value(String type, ByteBuffer bytes) {
        long wireType = wireType(type);
        if (wireType == 0) {
            return varint(bytes);
        }
        if (wireType == 1) {
            return bytes.getLong();
        }
        int length = Math.toIntExact(varint(bytes));
        ByteBuffer inner = bytes.slice(bytes.position(), length);
        bytes.position(bytes.position() + length);
        return type.equals("string")
                ? StandardCharsets.UTF_8.decode(inner).toString()
                : message(type, inner);
    }

    private static long varint(ByteBuffer bytes) {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            byte one = bytes.get();
            value |= (one & 0x7FL) << shift;
            if (one >= 0) {
                return value;
            }
        }
        throw new AssertionError("an integer of more than 64 bits");
    }

    private static Object one(Map<String, List<Object>> message, String name) {
        List<Object> values = message.get(name);
        assertThat(values).as(name).isNotNull();
        return Objects.requireNonNull(values).getFirst();
    }

    private static String text(Map<String, List<Object>> message, String name) {
        return message.containsKey(name) ? (String) one(message, name) : "";
    }

    @SuppressWarnings("unchecked") // Messages are such maps.
    private static List<Map<String, List<Object>>> messages(
            Map<String, List<Object>> message, String name) {
        return (List<Map<String, List<Object>>>) (List<?>) message.getOrDefault(name, List.of());
    }

    // The meaning

    private void take(Map<String, List<Object>> file) {
        Map<Long, Deque<Slice>> open = new HashMap<>();
        Map<Long, Long> latest = new HashMap<>();
        Set<Object> pids = new HashSet<>();
        for (Map<String, List<Object>> packet : messages(file, "packet")) {
            long sequence = (long) one(packet, "trusted_packet_sequence_id");
            assertThat(sequence).isPositive();
            messages(packet, "track_descriptor").forEach(track -> describe(track, pids));
            for (Map<String, List<Object>> event : messages(packet, "track_event")) {
                long nanos = (long) one(packet, "timestamp");
                assertThat(nanos).isGreaterThanOrEqualTo(latest.getOrDefault(sequence, 0L));
                latest.put(sequence, nanos);
                take(event, nanos, open);
            }
        }
        assertThat(open.values()).as("slices that do not end").allMatch(Deque::isEmpty);
        assertThat(flowEnds.keySet()).isEqualTo(flowBegins.keySet());
    }

    private void describe(Map<String, List<Object>> descriptor, Set<Object> pids) {
        String name = text(descriptor, "name");
        assertThat(name).isNotEmpty();
        Track track;
        if (descriptor.containsKey("process")) {
            Map<String, List<Object>> process = messages(descriptor, "process").getFirst();
            assertThat(text(process, "process_name")).isEqualTo(name);
            assertThat(pids.add(one(process, "pid"))).as("pid of %s", name).isTrue();
            assertThat(one(descriptor, "child_ordering")).isEqualTo((long) EXPLICIT);
            track = new Track(name + " " + one(process, "pid"), name);
        } else {
            Track parent = tracks.get(one(descriptor, "parent_uuid"));
            assertThat(descriptor).containsKey("sibling_order_rank");
            track = new Track(Objects.requireNonNull(parent, name).group, name);
        }
        assertThat(tracks.put((Long) one(descriptor, "uuid"), track)).as(name).isNull();
    }

    private void take(Map<String, List<Object>> event, long nanos, Map<Long, Deque<Slice>> open) {
        Long uuid = (Long) one(event, "track_uuid");
        Track track = Objects.requireNonNull(tracks.get(uuid), () -> "track of " + event);
        Deque<Slice> stack = open.computeIfAbsent(uuid, key -> new ArrayDeque<>());
        Slice slice =
                new Slice(track, text(event, "name"), nanos, new long[] {nanos}, new HashMap<>());
        switch ((int) (long) one(event, "type")) {
            case 1 -> {
                stack.push(slice);
                slices.add(slice);
            }
            case 2 -> {
                assertThat(stack).as("slices of %s", track).isNotEmpty();
                slice = stack.pop();
                slice.end[0] = nanos;
            }
            case 3 -> instants.add(slice);
            default -> throw new AssertionError(event);
        }
        assertThat(slice.name).isNotEmpty();
        for (Map<String, List<Object>> note : messages(event, "debug_annotations")) {
            String kind = note.containsKey("uint_value") ? "uint_value" : "string_value";
            slice.notes.put(text(note, "name"), one(note, kind));
        }
        for (Object flow : event.getOrDefault("flow_ids", List.of())) {
            if ((Long) flow < 0) {
                joined.computeIfAbsent((Long) flow, key -> new ArrayList<>()).add(slice);
                continue;
            }
            assertThat(flowBegins.put((Long) flow, slice)).as("flow %s", flow).isNull();
        }
        for (Object flow : event.getOrDefault("terminating_flow_ids", List.of())) {
            assertThat(flowBegins).as("a flow begins before it ends").containsKey((Long) flow);
            assertThat(flowEnds.put((Long) flow, slice)).as("flow %s", flow).isNull();
        }
    }

    /// The slices of tracks with such names.
    public List<Slice> slices(String tracks) {
        return slices.stream().filter(slice -> slice.track.name.matches(tracks)).toList();
    }

    /// The instants of tracks with such names.
    public List<Slice> instants(String tracks) {
        return instants.stream().filter(slice -> slice.track.name.matches(tracks)).toList();
    }

    /// What belongs together, through all processes: numbers of flows less than 0.
    public Map<Long, List<Slice>> joined() {
        return joined;
    }

    /// The arrows.
    public List<Flow> flows() {
        return flowBegins.entrySet().stream()
                .map(flow ->
                        new Flow(
                                flow.getValue(),
                                Objects.requireNonNull(flowEnds.get(flow.getKey()))))
                .toList();
    }

    /// The tracks and groups.
    public List<Track> tracks() {
        return List.copyOf(tracks.values());
    }
}
