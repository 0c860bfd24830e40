package dev.outboard.dpa.machine.load;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.AtomicOp;
import dev.outboard.dpa.machine.AtomicOrder;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.DpaFxp;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.ExternalKey;
import dev.outboard.dpa.machine.ExternalRegion;
import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.MemoryAccess;
import dev.outboard.dpa.machine.Messages;
import dev.outboard.dpa.machine.Op;
import dev.outboard.dpa.machine.Space;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpacc.DpaAddr;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// DPA-JK-8: what kernels may touch outside their program: the machine, and those classes of Java
/// that compute, without a state that anybody else could see.
final class AllowedCode {
    /// What a message says that one may call.
    static final String VALID =
            "methods of the program, of DpaThread, AddressMap, Doorbell, DpaFxp and DpaAddr, of"
                    + " dpa.nic.layout, dpa.flexio.dev and dpa.doca.dev, java.lang.Math, and the static methods"
                    + " of Integer, Long and their like";

    /// The set-up of a process: the machine itself makes calls of it a fault.
    private static final String PROCESS = "dev/outboard/dpa/process/DpaProcess";

    private static final Set<String> MACHINE =
            Stream.of(
                            AddressMap.class,
                            AtomicOp.class,
                            AtomicOrder.class,
                            Doorbell.class,
                            DpaFxp.class,
                            DpaThread.class,
                            Kernel.class,
                            MemoryAccess.class,
                            Messages.class,
                            Messages.Level.class,
                            Op.class,
                            Space.class,
                            ThreadHandle.class)
                    .map(MethodLoops::internalName)
                    .collect(Collectors.toSet());

    /// What reads and writes entries of queues for a program.
    private static final String LAYOUTS = "dev/outboard/dpa/nic/layout/";

    /// What of FlexIO is for device code.
    private static final String FLEXIO = "dev/outboard/dpa/flexio/dev/";

    /// What of DOCA DPA is for device code.
    private static final String DOCA = "dev/outboard/dpa/doca/dev/";

    private static final String ADDRESS = MethodLoops.internalName(DpaAddr.class);

    private static final Set<String> NUMBERS =
            Set.of(
                    "java/lang/Boolean",
                    "java/lang/Byte",
                    "java/lang/Character",
                    "java/lang/Double",
                    "java/lang/Float",
                    "java/lang/Integer",
                    "java/lang/Long",
                    "java/lang/Math",
                    "java/lang/Short",
                    "java/lang/StrictMath");

    /// These look at properties of the system, or are not the same in each run.
    private static final Set<String> NOT_OF_NUMBERS =
            Set.of("getBoolean", "getInteger", "getLong", "random", "describeConstable");

    /// ByteBuffer: the arguments of a call, which a stub takes apart.
    private static final Map<String, Set<String>> SOME =
            Map.of(
                    "java/nio/ByteBuffer",
                    Set.of("get", "getShort", "getInt", "getLong"),
                    "java/lang/Object",
                    Set.of("<init>", "getClass"),
                    "java/lang/Record",
                    Set.of("<init>"),
                    "java/lang/Enum",
                    Set.of("ordinal", "name", "compareTo"),
                    "java/lang/String",
                    Set.of("length", "charAt", "isEmpty"),
                    "java/util/Objects",
                    Set.of("requireNonNull", "checkIndex"),
                    MethodLoops.internalName(ExternalKey.class),
                    Set.of("number"),
                    MethodLoops.internalName(ExternalRegion.class),
                    Set.of("address", "name"));

    private AllowedCode() {}

    /// Whether kernels may call a method outside their program.
    static boolean mayCall(String owner, String name) {
        if (isMachine(owner) || owner.equals(PROCESS) || isFunction(owner, name)) {
            return true;
        }
        if (NUMBERS.contains(owner)) {
            return !NOT_OF_NUMBERS.contains(name);
        }
        if (owner.startsWith("[")) {
            return name.equals("clone");
        }
        return (name.equals("<init>") && isThrowable(owner))
                || SOME.getOrDefault(owner, Set.of()).contains(name);
    }

    private static boolean isMachine(String owner) {
        return MACHINE.contains(owner)
                || owner.equals(ADDRESS)
                || owner.startsWith(LAYOUTS)
                || owner.startsWith(FLEXIO)
                || owner.startsWith(DOCA);
    }

    /// Whether kernels may make an object of a class outside their program.
    static boolean mayMake(String owner) {
        return isThrowable(owner) || owner.equals("java/lang/Object") || owner.equals(ADDRESS);
    }

    private static boolean isThrowable(String owner) {
        return owner.startsWith("java/lang/")
                && (owner.endsWith("Exception") || owner.endsWith("Error"));
    }

    /// Whether a method is that of a lambda.
    static boolean isFunction(String owner, String name) {
        return (owner.startsWith("java/util/function/")
                        && name.matches("(apply|accept|test|get)(As)?[A-Z]?\\w*"))
                || (owner.equals("java/lang/Runnable") && name.equals("run"));
    }

    /// Whether kernels may read a static field outside their program.
    static boolean mayRead(String owner) {
        return isMachine(owner) || NUMBERS.contains(owner);
    }
}
