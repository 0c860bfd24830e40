package dev.outboard.dpa.cc;

import static java.util.stream.Collectors.joining;

import dev.outboard.dpa.elf.DebugFunction;
import dev.outboard.dpa.elf.DebugType;
import dev.outboard.dpa.elf.DebugType.Composite;
import dev.outboard.dpa.elf.DeviceElf;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// DPA-CC-3, DPA-CC-13: the class that host programs call a program in C by: a constant `APP`, and
/// for each marked function a constant and a method of its name. The text depends on nothing but
/// the executable and the names.
public final class CStub {
    private final String app;
    private final String packageName;
    private final List<DebugFunction> functions;
    private final StubTypes types;

    /// The stub of an executable.
    ///
    /// @param app the name of the program
    /// @param packageName of the class; empty for none
    /// @throws dev.outboard.dpa.elf.ElfException if it is no program for the device
    /// @throws CompileException if a marked function cannot be called
    public CStub(String app, String packageName, byte[] elf) {
        this.app = app;
        this.packageName = packageName;
        functions =
                DeviceElf.parse(elf).debug().functions().stream()
                        .filter(CSignatures::isMarked)
                        .toList();
        functions.forEach(CSignatures::check);
        Set<String> taken = new HashSet<>(Set.of(className()));
        taken.addAll(List.of("CProgram", "DpaAddr", "DpaApp", "DpaCall", "DpaFunction"));
        taken.addAll(List.of("DpaThread", "ByteBuffer", "ByteOrder"));
        types = new StubTypes(functions, taken);
    }

    /// Its name, without the package: `EchoKernelStub` of the app `echo_kernel`.
    public String className() {
        return StubTypes.className(app) + "Stub";
    }

    /// The name of the resource beside it that holds the executable.
    public String resource() {
        return StubTypes.className(app) + ".elf";
    }

    /// Its text.
    public String source() {
        StringBuilder text = new StringBuilder();
        text.append(head());
        functions.forEach(function -> text.append(constant(function)));
        text.append("\n    private %s() {}\n".formatted(className()));
        functions.forEach(function -> text.append(method(function)));
        types.records().keySet().forEach(type -> text.append(record(type)));
        types.records().keySet().forEach(type -> text.append(put(type)));
        return text.append("}\n").toString();
    }

    private String head() {
        String files =
                functions.stream()
                        .map(function -> function.place().file())
                        .map(file -> file.substring(file.lastIndexOf('/') + 1))
                        .distinct()
                        .collect(joining(", "));
        return """
        // Written by outboard dpacc from %s.
        %simport dev.outboard.dpa.cc.CProgram;
        import dev.outboard.dpa.machine.DpaThread;
        import dev.outboard.dpacc.DpaAddr;
        import dev.outboard.dpacc.DpaApp;
        import dev.outboard.dpacc.DpaCall;
        import dev.outboard.dpacc.DpaFunction;
        import java.nio.ByteBuffer;
        import java.nio.ByteOrder;

        /// What the host calls the DPA program `%s` by.
        public final class %s {
            /// The program.
            public static final DpaApp<DpaThread> APP =
                    CProgram.app("%s", %s.class, "%s");
        """
                .formatted(
                        files,
                        packageName.isEmpty() ? "" : "package %s;\n\n".formatted(packageName),
                        app,
                        className(),
                        app,
                        className(),
                        resource());
    }

    private static String constant(DebugFunction function) {
        return """

            /// The function `%s`.
            public static final DpaFunction<DpaThread> %s = APP.function("%s");
        """
                .formatted(function.name(), StubTypes.identifier(function.name()), function.name());
    }

    private String method(DebugFunction function) {
        String name = StubTypes.identifier(function.name());
        CParameters layout = new CParameters(function.parameters());
        StringBuilder puts = new StringBuilder();
        StringBuilder parameters = new StringBuilder();
        for (int i = 0; i < function.parameters().size(); i++) {
            DebugFunction.Parameter parameter = function.parameters().get(i);
            String own = parameter.name().isEmpty() ? "argument" + i : parameter.name();
            String value = own.equals("bytes") ? "bytes_" : StubTypes.identifier(own);
            parameters.append(i == 0 ? "" : ", ");
            parameters.append("%s %s".formatted(types.name(parameter.type()), value));
            puts.append(put(parameter.type(), String.valueOf(layout.offset(i)), value, "        "));
        }
        return """

            /// A call of `%s`.
            public static DpaCall<DpaThread> %s(%s) {
                ByteBuffer bytes = ByteBuffer.allocate(%d).order(ByteOrder.LITTLE_ENDIAN);
        %s        return new DpaCall<>(%s.%s, bytes);
            }
        """
                .formatted(
                        function.name(),
                        name,
                        parameters,
                        layout.layout().bytes(),
                        puts,
                        className(),
                        name);
    }

    private String record(Composite type) {
        return """

            /// The %s.
            public record %s(%s) {}
        """
                .formatted(
                        type.place().function().isEmpty() ? "struct" : "`" + type.name() + "`",
                        types.records().get(type),
                        type.members().stream()
                                .map(member -> types.name(member.type()) + " " + component(member))
                                .collect(joining(", ")));
    }

    private static String component(DebugType.Member member) {
        String name = member.name();
        boolean isUsed = Set.of("hashCode", "toString", "getClass", "notify").contains(name);
        return name.isEmpty()
                ? "at" + member.offsetBytes()
                : isUsed ? name + "_" : StubTypes.identifier(name);
    }

    private String put(Composite type) {
        return """

            private static void put(ByteBuffer bytes, int at, %s value) {
        %s    }
        """
                .formatted(
                        types.records().get(type),
                        type.members().stream()
                                .map(member ->
                                        put(
                                                member.type(),
                                                "at + " + member.offsetBytes(),
                                                "value.%s()".formatted(component(member)),
                                                "        "))
                                .collect(joining()));
    }

    /// The statements that put a value into the bytes.
    private String put(DebugType declared, String at, String value, String indent) {
        DebugType type = declared.plain();
        return switch (type) {
            case DebugType.Array array -> putAll(array, at, value, indent);
            case Composite composite when composite.isUnion() ->
                    check(value, composite.sizeBytes(), indent)
                            + "%sbytes.put(%s, %s);\n".formatted(indent, at, value);
            case Composite _ -> "%sput(bytes, %s, %s);\n".formatted(indent, at, value);
            case DebugType.Pointer _ ->
                    "%sbytes.putLong(%s, %s.value());\n".formatted(indent, at, value);
            default -> {
                String word = StubTypes.word(type).replace("Byte", "");
                String put =
                        StubTypes.isBoolean(type) ? "(byte) (%s ? 1 : 0)".formatted(value) : value;
                yield "%sbytes.put%s(%s, %s);\n".formatted(indent, word, at, put);
            }
        };
    }

    private String putAll(DebugType.Array array, String at, String value, String indent) {
        String index = "i" + indent.length() / 4;
        String each = "%s + %s * %d".formatted(at, index, array.element().sizeBytes());
        return check(value, array.count(), indent)
                + "%sfor (int %s = 0; %s < %d; %s++) {\n"
                        .formatted(indent, index, index, array.count(), index)
                + put(array.element(), each, "%s[%s]".formatted(value, index), indent + "    ")
                + indent
                + "}\n";
    }

    private static String check(String value, long count, String indent) {
        return """
        if (%s.length != %d) {
            throw new IllegalArgumentException(
                    "%s has %d elements, not " + %s.length);
        }
        """
                .formatted(value, count, value.replaceAll("^value\\.|\\(\\)", ""), count, value)
                .indent(indent.length());
    }
}
