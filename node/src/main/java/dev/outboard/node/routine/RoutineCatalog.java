package dev.outboard.node.routine;

import static dev.outboard.node.routine.RoutineInfo.Role.IN;
import static dev.outboard.node.routine.RoutineInfo.Role.INOUT;
import static dev.outboard.node.routine.RoutineInfo.Role.OUT;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.Routine;
import dev.outboard.node.routine.RoutineInfo.Parameter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// The routines a node offers. Codes 1 to 3 are those of the reference library's example server
/// (NAA-KERN-3); codes 4 to 9 stay free for more of them.
public final class RoutineCatalog {
    /// Code of the routine that does nothing: what an RPC costs without its work.
    public static final int EMPTY = 3;

    /// Code of [EdgeDetection].
    public static final int EDGE_DETECTION = 13;

    private static final List<RoutineInfo> ROUTINES =
            List.of(
                    anyRegions(1, "increment", "adds 1 to every byte", adding(1)),
                    anyRegions(2, "add-two", "adds 2 to every byte", adding(2)),
                    anyRegions(
                            EMPTY,
                            "empty",
                            "does nothing",
                            Routine.ofShort(context -> ReturnCode.SUCCESS)),
                    routine(
                            10,
                            "vector-add",
                            "c = a + b",
                            VectorAddition::run,
                            new Parameter("a", IN, "float32[n]"),
                            new Parameter("b", IN, "float32[n]"),
                            new Parameter("c", OUT, "float32[n]")),
                    routine(
                            11,
                            "sgemm",
                            "C = alpha A B + beta C, row-major matrices",
                            Sgemm::run,
                            new Parameter("parameters", IN, "int32 m, n, k; float32 alpha, beta"),
                            new Parameter("A", IN, "float32[m][k]"),
                            new Parameter("B", IN, "float32[k][n]"),
                            new Parameter("C", INOUT, "float32[m][n]")),
                    routine(
                            12,
                            "sha-256",
                            "SHA-256 digest",
                            Sha256::run,
                            new Parameter("message", IN, "bytes"),
                            new Parameter("digest", OUT, "32 bytes")),
                    routine(
                            EDGE_DETECTION,
                            "edges",
                            "edges of a gray or RGB image by the Sobel operator",
                            EdgeDetection::run,
                            new Parameter("header", IN, "int32 width, height, channels (1 or 3)"),
                            new Parameter("pixels", IN, "uint8[height][width][channels]"),
                            new Parameter("edges", OUT, "uint8[height][width]")),
                    routine(
                            14,
                            "fft",
                            "forward Fourier transform, n a power of two",
                            FourierTransform::run,
                            new Parameter("x", IN, "complex float64[n], real part first"),
                            new Parameter("X", OUT, "complex float64[n], real part first")));

    private RoutineCatalog() {}

    /// All routines, by ascending function code.
    public static List<RoutineInfo> routines() {
        return ROUTINES;
    }

    /// All routines, as a server takes them.
    public static Map<Integer, Routine> byFunctionCode() {
        return ROUTINES.stream()
                .collect(Collectors.toMap(RoutineInfo::functionCode, RoutineInfo::routine));
    }

    /// The routine with this function code.
    public static Optional<RoutineInfo> find(int functionCode) {
        return ROUTINES.stream().filter(info -> info.functionCode() == functionCode).findAny();
    }

    private static Routine adding(int addend) {
        return context -> {
            context.parameters().forEach(region -> ByteAddition.add(region.memory(), addend));
            return ReturnCode.SUCCESS;
        };
    }

    private static RoutineInfo anyRegions(
            int functionCode, String name, String description, Routine routine) {
        return new RoutineInfo(functionCode, name, description, List.of(), routine);
    }

    private static RoutineInfo routine(
            int functionCode,
            String name,
            String description,
            Routine routine,
            Parameter... parameters) {
        Routine counting =
                context -> {
                    int count = context.parameters().size();
                    RoutineError.REGION_COUNT.unless(count == parameters.length);
                    return routine.run(context);
                };
        return new RoutineInfo(functionCode, name, description, List.of(parameters), counting);
    }
}
