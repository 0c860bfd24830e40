package dev.outboard.dpa.cc;

import dev.outboard.dpa.elf.DebugFunction;
import dev.outboard.dpa.elf.DebugType;
import dev.outboard.dpa.elf.DebugType.Composite;
import dev.outboard.dpa.elf.DebugType.Encoding;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// The Java types of what C functions take.
///
/// DPA-CC-3: a struct becomes a record of the same name with a component for each member, an array
/// in it an array. A union becomes its bytes.
final class StubTypes {
    /// Those words of Java that C has no use for itself.
    private static final Set<String> KEYWORDS =
            Set.of(
                    "abstract",
                    "assert",
                    "boolean",
                    "byte",
                    "catch",
                    "class",
                    "extends",
                    "false",
                    "final",
                    "finally",
                    "implements",
                    "import",
                    "instanceof",
                    "interface",
                    "native",
                    "new",
                    "null",
                    "package",
                    "private",
                    "protected",
                    "public",
                    "strictfp",
                    "super",
                    "synchronized",
                    "this",
                    "throw",
                    "throws",
                    "transient",
                    "true",
                    "try",
                    "_");

    private final Map<Composite, String> records = new LinkedHashMap<>();
    private final Set<String> taken;

    /// @param taken names that records must not have
    StubTypes(List<DebugFunction> functions, Set<String> taken) {
        this.taken = new HashSet<>(taken);
        for (DebugFunction function : functions) {
            function.parameters().forEach(parameter -> add(parameter.type(), parameter.name()));
        }
    }

    private void add(DebugType declared, String around) {
        DebugType type = declared.plain();
        if (type instanceof DebugType.Array array) {
            add(array.element(), around);
        } else if (isRecord(type) && !records.containsKey((Composite) type)) {
            Composite composite = (Composite) type;
            String own =
                    declared instanceof DebugType.Typedef
                            ? declared.name()
                            : composite.place().function();
            records.put(composite, unused(className(own.isEmpty() ? around : own)));
            composite.members().forEach(member -> add(member.type(), around + "_" + member.name()));
        }
    }

    private String unused(String name) {
        String free = name;
        for (int i = 2; !taken.add(free); i++) {
            free = name + i;
        }
        return free;
    }

    /// The structs, with the names of their records, in the order of the functions.
    Map<Composite, String> records() {
        return records;
    }

    static boolean isRecord(DebugType type) {
        return type instanceof Composite composite && !composite.isUnion();
    }

    /// How Java spells the type.
    String name(DebugType declared) {
        DebugType type = declared.plain();
        return switch (type) {
            case DebugType.Array array -> name(array.element()) + "[]";
            case Composite composite ->
                    composite.isUnion() ? "byte[]" : records.getOrDefault(composite, "");
            case DebugType.Pointer _ -> "DpaAddr";
            default -> isBoolean(type) ? "boolean" : word(type).toLowerCase(Locale.ROOT);
        };
    }

    static boolean isBoolean(DebugType type) {
        return type instanceof DebugType.Base base && base.encoding() == Encoding.BOOLEAN;
    }

    /// `Byte`, `Short`, `Int` or `Long`.
    static String word(DebugType type) {
        return switch ((int) type.sizeBytes()) {
            case 1 -> "Byte";
            case 2 -> "Short";
            case 4 -> "Int";
            default -> "Long";
        };
    }

    /// `echo_kernel` is `EchoKernel`, and `__dpa_a_out` is `DpaAOut`.
    static String className(String name) {
        StringBuilder text = new StringBuilder();
        for (String part : name.split("[^A-Za-z0-9]+|(?<=[^A-Za-z0-9])")) {
            String clean = part.replaceAll("[^A-Za-z0-9]", "");
            if (!clean.isEmpty()) {
                text.append(Character.toUpperCase(clean.charAt(0))).append(clean.substring(1));
            }
        }
        boolean isName = text.length() > 0 && Character.isJavaIdentifierStart(text.charAt(0));
        return isName ? text.toString() : "App" + text;
    }

    /// A name of C that Java has another use for gets a `_`.
    static String identifier(String name) {
        return KEYWORDS.contains(name) ? name + "_" : name;
    }
}
