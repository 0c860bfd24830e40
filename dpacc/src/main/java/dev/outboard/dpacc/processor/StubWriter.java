package dev.outboard.dpacc.processor;

import static java.util.stream.Collectors.joining;

import dev.outboard.dpacc.DpaFunction.Kind;
import dev.outboard.dpacc.DpaLayout;
import dev.outboard.dpacc.DpaScalar;
import dev.outboard.dpacc.processor.DeviceType.Member;
import dev.outboard.dpacc.processor.DeviceType.Scalar;
import dev.outboard.dpacc.processor.DeviceType.Struct;
import dev.outboard.dpacc.processor.Program.Function;
import dev.outboard.dpacc.processor.Program.Global;
import java.util.List;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;

/// Writes the stub of a program. The text depends on nothing but the program.
final class StubWriter {
    private static final int GLOBAL_ALIGNMENT = 8;

    private final Program program;

    /// All records of its arguments. The methods that put and get one have its index in their name.
    private final List<Struct> records;

    StubWriter(Program program) {
        this.program = program;
        records =
                program.functions().stream()
                        .flatMap(function -> function.arguments().records())
                        .distinct()
                        .toList();
    }

    /// The bytes from one global to the next.
    static long roundUp(int bytes) {
        return Math.ceilDiv((long) bytes, GLOBAL_ALIGNMENT) * GLOBAL_ALIGNMENT;
    }

    String source() {
        boolean isPublic = program.type().getModifiers().contains(Modifier.PUBLIC);
        return Stream.of(
                        Stream.of(
                                head(),
                                "/// What the host calls the DPA program `%s` of [%s] by."
                                        .formatted(program.name(), program.className()),
                                (isPublic ? "public " : "")
                                        + "final class %s {".formatted(program.stubName())),
                        program.functions().stream().map(this::constant),
                        Stream.of(app(), "    private %s() {}\n".formatted(program.stubName())),
                        program.functions().stream().map(this::method),
                        records.stream().map(this::put),
                        records.stream().map(this::get))
                .flatMap(parts -> parts)
                .collect(joining("\n", "", "}\n"));
    }

    private String head() {
        String declaration =
                program.packageName().isEmpty()
                        ? ""
                        : "package %s;\n\n".formatted(program.packageName());
        return """
        // Written by dev.outboard.dpacc from %s.
        %simport dev.outboard.dpa.machine.DpaThread;
        import dev.outboard.dpacc.DpaAddr;
        import dev.outboard.dpacc.DpaApp;
        import dev.outboard.dpacc.DpaCall;
        import dev.outboard.dpacc.DpaFunction;
        import dev.outboard.dpacc.DpaLayout;
        import dev.outboard.dpacc.DpaScalar;
        import java.nio.ByteBuffer;
        import java.nio.ByteOrder;
        import java.util.List;
        """
                .formatted(program.className(), declaration);
    }

    private String constant(Function function) {
        List<String> arguments =
                Stream.concat(
                                Stream.of("thread"),
                                function.arguments().members().stream()
                                        .map(member ->
                                                get(
                                                        member.type(),
                                                        "arguments",
                                                        String.valueOf(member.offset()))))
                        .toList();
        String call =
                "%s.%s(%s)"
                        .formatted(
                                program.className(), function.name(), String.join(", ", arguments));
        String body =
                function.kind() == Kind.RPC
                        ? "return %s;".formatted(call)
                        : "%s;\n                return 0;".formatted(call);
        return """
            /// The function `%s`.
            public static final DpaFunction<DpaThread> %s = new DpaFunction<>(
                    "%s",
                    "%s",
                    DpaFunction.Kind.%s,
                    new DpaLayout(%d, List.of(%s)),
                    (thread, arguments) -> {
                        %s
                    });
        """
                .formatted(
                        function.name(),
                        function.name(),
                        program.name(),
                        function.name(),
                        function.kind(),
                        function.arguments().bytes(),
                        function.arguments().fields().stream()
                                .map(StubWriter::field)
                                .collect(joining(",")),
                        body);
    }

    private static String field(DpaLayout.Field field) {
        return "\n                    new DpaLayout.Field(\"%s\", DpaScalar.%s, %d)"
                .formatted(field.name(), field.type(), field.offset());
    }

    private String app() {
        StringBuilder placed = new StringBuilder();
        long offset = 0;
        for (Global global : program.globals()) {
            placed.append(
                    "\n                %s.%s = first.plus(%d);"
                            .formatted(program.className(), global.name(), offset));
            offset += roundUp(global.bytes());
        }
        return """
            /// The program.
            public static final DpaApp<DpaThread> APP = new DpaApp<>(
                    "%s",
                    List.of(%s.class, %s.class),
                    List.of(%s),
                    %d,
                    first -> {%s});
        """
                .formatted(
                        program.name(),
                        program.stubName(),
                        program.className(),
                        program.functions().stream().map(Function::name).collect(joining(", ")),
                        offset,
                        placed.isEmpty() ? "" : placed + "\n            ");
    }

    /// The host's side of a function.
    private String method(Function function) {
        List<Member> members = function.arguments().members();
        String to = unused("bytes", members);
        return """
            /// A call of `%s`.
            public static DpaCall<DpaThread> %s(%s) {
                ByteBuffer %s = ByteBuffer.allocate(%d).order(ByteOrder.LITTLE_ENDIAN);
        %s        return new DpaCall<>(%s.%s, %s);
            }
        """
                .formatted(
                        function.name(),
                        function.name(),
                        members.stream()
                                .map(each -> each.type().javaName() + " " + each.name())
                                .collect(joining(", ")),
                        to,
                        function.arguments().bytes(),
                        members.stream()
                                .map(each ->
                                        "        %s\n"
                                                .formatted(
                                                        put(
                                                                each.type(),
                                                                to,
                                                                String.valueOf(each.offset()),
                                                                each.name())))
                                .collect(joining()),
                        program.stubName(),
                        function.name(),
                        to);
    }

    /// The name, or one like it that no argument has.
    private static String unused(String name, List<Member> members) {
        return members.stream().anyMatch(member -> member.name().equals(name))
                ? unused(name + "_", members)
                : name;
    }

    private String put(Struct struct) {
        return """
            private static void put%d(ByteBuffer bytes, int at, %s value) {
        %s
            }
        """
                .formatted(
                        records.indexOf(struct),
                        struct.javaName(),
                        struct.members().stream()
                                .map(each ->
                                        "        "
                                                + put(
                                                        each.type(),
                                                        "bytes",
                                                        "at + " + each.offset(),
                                                        "value.%s()".formatted(each.name())))
                                .collect(joining("\n")));
    }

    private String get(Struct struct) {
        return """
            private static %s get%d(ByteBuffer bytes, int at) {
                return new %s(%s);
            }
        """
                .formatted(
                        struct.javaName(),
                        records.indexOf(struct),
                        struct.javaName(),
                        struct.members().stream()
                                .map(each -> get(each.type(), "bytes", "at + " + each.offset()))
                                .collect(joining(", ")));
    }

    /// The statement that puts a value into a buffer.
    private String put(DeviceType type, String to, String at, String value) {
        return switch (type) {
            case Struct struct ->
                    "put%d(%s, %s, %s);".formatted(records.indexOf(struct), to, at, value);
            case Scalar scalar -> {
                String converted =
                        switch (scalar.scalar()) {
                            case BOOLEAN -> "(byte) (%s ? 1 : 0)".formatted(value);
                            case ADDRESS -> value + ".value()";
                            default -> value;
                        };
                yield "%s.put%s(%s, %s);".formatted(to, suffix(scalar.scalar()), at, converted);
            }
        };
    }

    /// The expression that gets a value out of a buffer.
    private String get(DeviceType type, String from, String at) {
        return switch (type) {
            case Struct struct -> "get%d(%s, %s)".formatted(records.indexOf(struct), from, at);
            case Scalar scalar -> {
                String word = "%s.get%s(%s)".formatted(from, suffix(scalar.scalar()), at);
                yield switch (scalar.scalar()) {
                    case BOOLEAN -> word + " != 0";
                    case ADDRESS -> "new DpaAddr(%s)".formatted(word);
                    default -> word;
                };
            }
        };
    }

    /// What a buffer calls a word of that type.
    private static String suffix(DpaScalar scalar) {
        return switch (scalar) {
            case BOOLEAN, BYTE -> "";
            case SHORT -> "Short";
            case INT -> "Int";
            case LONG, ADDRESS -> "Long";
        };
    }
}
