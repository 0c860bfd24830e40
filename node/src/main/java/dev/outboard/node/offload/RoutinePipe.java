package dev.outboard.node.offload;

import dev.outboard.naa.server.RoutineArgument;
import dev.outboard.naa.server.RoutineSpec;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// What a node and a process of its routines say to each other, over a pipe in each direction. The
/// process begins with what it offers; then each call has an answer. Regions are in a file that
/// both have mapped.
final class RoutinePipe {
    /// Says that the process cannot be used; a text follows.
    static final int REFUSED = 0;

    /// Says what it offers; specifications follow.
    static final int OFFERED = 1;

    /// Says that a call follows.
    static final int CALL = 2;

    /// Says that nobody waits for the answer any more.
    static final int CANCEL = 3;

    private static final int MOST_TEXT = 10_000;
    private static final int NO_SIZE = -1;

    private RoutinePipe() {}

    /// A call.
    ///
    /// @param nanos how long it may take
    /// @param fileBytes how long the file with the regions is
    record Call(
            int functionCode,
            int userBytes,
            long nanos,
            long fileBytes,
            List<Place> parameters,
            List<Place> internals) {}

    /// Where a region is in the file.
    record Place(int flags, long naaAddress, long offset, long size) {}

    /// How a call has ended.
    ///
    /// @param why if not by itself; else empty
    record Answer(int code, String why) {}

    static void writeText(DataOutputStream out, String text) throws IOException {
        out.writeUTF(text.substring(0, Math.min(text.length(), MOST_TEXT)));
    }

    /// Without the routines themselves.
    static void write(DataOutputStream out, List<RoutineSpec> specs) throws IOException {
        out.writeInt(specs.size());
        for (RoutineSpec spec : specs) {
            out.writeInt(spec.functionCode());
            out.writeUTF(spec.name());
            writeText(out, spec.description());
            out.writeLong(spec.limit().toNanos());
            out.writeInt(spec.arguments().size());
            for (RoutineArgument argument : spec.arguments()) {
                writeText(out, argument.name());
                out.writeUTF(argument.role().name());
                writeText(out, argument.content());
                out.writeLong(argument.bytes().orElse(NO_SIZE));
            }
        }
    }

    /// None is short: each costs a way to another process.
    ///
    /// @param offload by which they run
    static List<RoutineSpec> readSpecs(DataInputStream in, Offload offload) throws IOException {
        List<RoutineSpec> specs = new ArrayList<>();
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            RoutineSpec spec =
                    RoutineSpec.of(in.readInt(), in.readUTF(), offload)
                            .describedAs(in.readUTF())
                            .within(Duration.ofNanos(in.readLong()));
            RoutineArgument[] arguments = new RoutineArgument[in.readInt()];
            for (int a = 0; a < arguments.length; a++) {
                arguments[a] = readArgument(in);
            }
            specs.add(spec.taking(arguments));
        }
        return specs;
    }

    private static RoutineArgument readArgument(DataInputStream in) throws IOException {
        String name = in.readUTF();
        RoutineArgument.Role role = RoutineArgument.Role.valueOf(in.readUTF());
        String content = in.readUTF();
        long bytes = in.readLong();
        return new RoutineArgument(
                name,
                role,
                content,
                bytes == NO_SIZE ? OptionalLong.empty() : OptionalLong.of(bytes));
    }

    static void write(DataOutputStream out, Call call) throws IOException {
        out.writeByte(CALL);
        out.writeInt(call.functionCode());
        out.writeInt(call.userBytes());
        out.writeLong(call.nanos());
        out.writeLong(call.fileBytes());
        writePlaces(out, call.parameters());
        writePlaces(out, call.internals());
    }

    private static void writePlaces(DataOutputStream out, List<Place> places) throws IOException {
        out.writeInt(places.size());
        for (Place place : places) {
            out.writeInt(place.flags());
            out.writeLong(place.naaAddress());
            out.writeLong(place.offset());
            out.writeLong(place.size());
        }
    }

    /// What follows [#CALL].
    static Call readCall(DataInputStream in) throws IOException {
        return new Call(
                in.readInt(),
                in.readInt(),
                in.readLong(),
                in.readLong(),
                readPlaces(in),
                readPlaces(in));
    }

    private static List<Place> readPlaces(DataInputStream in) throws IOException {
        List<Place> places = new ArrayList<>();
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            places.add(new Place(in.readInt(), in.readLong(), in.readLong(), in.readLong()));
        }
        return places;
    }

    static void write(DataOutputStream out, Answer answer) throws IOException {
        out.writeInt(answer.code());
        writeText(out, answer.why());
    }

    static Answer readAnswer(DataInputStream in) throws IOException {
        return new Answer(in.readInt(), in.readUTF());
    }
}
