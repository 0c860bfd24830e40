package dev.outboard.dpa.cc;

import dev.outboard.dpa.elf.DebugFunction;
import dev.outboard.dpa.elf.DebugType;
import dev.outboard.dpa.elf.DebugType.Encoding;

/// What functions that the host calls may take and return. Each refusal names the file and the line
/// of the function.
final class CSignatures {
    static final String GLOBAL = "dpa_global";
    static final String RPC = "dpa_rpc";

    private CSignatures() {}

    static boolean isMarked(DebugFunction function) {
        return function.markers().contains(GLOBAL) || function.markers().contains(RPC);
    }

    /// Checks a marked function.
    ///
    /// DPA-CC-4, DPA-CC-5: what it returns.
    ///
    /// DPA-CC-7: what it takes.
    ///
    /// @throws CompileException if it cannot be called
    static void check(DebugFunction function) {
        boolean isRpc = function.markers().contains(RPC);
        DebugType result = function.result().plain();
        if (!isRpc && !(result instanceof DebugType.Nothing)) {
            throw refuse(function, "is __dpa_global__ and returns %s; valid: void", result);
        }
        if (isRpc && !isResult(result)) {
            throw refuse(function, "is __dpa_rpc__ and returns %s; valid: uint64_t", result);
        }
        if (function.isVariadic()) {
            throw refuse(function, "takes any number of arguments%s; valid: a fixed number", "");
        }
        for (DebugFunction.Parameter parameter : function.parameters()) {
            check(function, parameter.name(), parameter.type(), false);
        }
    }

    private static boolean isResult(DebugType type) {
        return type instanceof DebugType.Base base
                && base.sizeBytes() == Long.BYTES
                && base.encoding() == Encoding.UNSIGNED;
    }

    private static void check(
            DebugFunction function, String name, DebugType declared, boolean isInside) {
        DebugType type = declared.plain();
        switch (type) {
            case DebugType.Pointer _, DebugType.Enumeration _ -> {
                // An address, and a number.
            }
            case DebugType.Base base when isNumber(base) -> {
                // Passed as it is.
            }
            case DebugType.Array array when isInside && array.count() > 0 ->
                    check(function, name + "[]", array.element(), true);
            case DebugType.Composite composite when composite.isComplete() ->
                    check(function, name, declared, composite, isInside);
            default ->
                    throw refuse(
                            function,
                            "takes '"
                                    + name
                                    + "' of type %s; valid: integers of 1, 2, 4 and 8 bytes, bool, enums, pointers, marked structs and unions",
                            declared);
        }
    }

    private static boolean isNumber(DebugType.Base base) {
        return base.encoding() != Encoding.FLOAT
                && base.encoding() != Encoding.OTHER
                && base.sizeBytes() <= Long.BYTES;
    }

    /// DPA-CC-8: a type is marked.
    private static void check(
            DebugFunction function,
            String name,
            DebugType declared,
            DebugType.Composite composite,
            boolean isInside) {
        boolean isMarked =
                declared.markers().contains(GLOBAL) || composite.markers().contains(GLOBAL);
        if (!isInside && !isMarked) {
            throw refuse(
                    function,
                    "takes '" + name + "' of type %s, which is not marked; mark it __dpa_global__",
                    declared);
        }
        for (DebugType.Member member : composite.members()) {
            if (member.bits() > 0) {
                throw refuse(
                        function,
                        "takes '"
                                + name
                                + "' of type %s, which has a bit-field '"
                                + member.name()
                                + "'; valid: members of whole bytes",
                        declared);
            }
            check(function, name + "." + member.name(), member.type(), true);
        }
    }

    private static CompileException refuse(DebugFunction function, String what, Object type) {
        String said = type instanceof DebugType named ? "'" + named.name() + "'" : type.toString();
        return new CompileException(
                "%s:%d: function '%s' %s"
                        .formatted(
                                function.place().file(),
                                function.place().line(),
                                function.name(),
                                what.formatted(said)));
    }
}
