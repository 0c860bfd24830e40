package dev.outboard.node.routine;

import static dev.outboard.naa.server.RoutineArgument.inout;
import static dev.outboard.naa.server.RoutineArgument.input;
import static dev.outboard.naa.server.RoutineArgument.output;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.Routine;
import dev.outboard.naa.server.RoutineProvider;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import java.util.List;

/// The routines a node offers.
///
/// NAA-KERN-3: codes 1 to 3 are those of the reference library's example server; codes 4 to 9 stay
/// free for more of them.
public final class RoutineCatalog implements RoutineProvider {
    /// Code of the routine that does nothing: what an RPC costs without its work.
    public static final int EMPTY = 3;

    /// Code of [EdgeDetection].
    public static final int EDGE_DETECTION = 13;

    /// All of them.
    public static final RoutineSet ROUTINES =
            RoutineSet.of(
                    RoutineSpec.of(1, "increment", adding(1)).describedAs("adds 1 to every byte"),
                    RoutineSpec.of(2, "add-two", adding(2)).describedAs("adds 2 to every byte"),
                    RoutineSpec.of(EMPTY, "empty", _ -> ReturnCode.SUCCESS)
                            .describedAs("does nothing")
                            .asShort(),
                    RoutineSpec.of(10, "vector-add", VectorAddition::run)
                            .describedAs("c = a + b")
                            .taking(
                                    input("a", "float32[n]"),
                                    input("b", "float32[n]"),
                                    output("c", "float32[n]")),
                    RoutineSpec.of(11, "sgemm", Sgemm::run)
                            .describedAs("C = alpha A B + beta C, row-major matrices")
                            .taking(
                                    input("parameters", "int32 m, n, k; float32 alpha, beta")
                                            .ofBytes(Sgemm.HEADER_BYTES),
                                    input("A", "float32[m][k]"),
                                    input("B", "float32[k][n]"),
                                    inout("C", "float32[m][n]")),
                    RoutineSpec.of(12, "sha-256", Sha256::run)
                            .describedAs("SHA-256 digest")
                            .taking(
                                    input("message", "bytes"),
                                    output("digest", "32 bytes").ofBytes(Sha256.DIGEST_BYTES)),
                    RoutineSpec.of(EDGE_DETECTION, "edges", EdgeDetection::run)
                            .describedAs("edges of a gray or RGB image by the Sobel operator")
                            .taking(
                                    input("header", "int32 width, height, channels (1 or 3)")
                                            .ofBytes(EdgeDetection.HEADER_BYTES),
                                    input("pixels", "uint8[height][width][channels]"),
                                    output("edges", "uint8[height][width]")),
                    RoutineSpec.of(14, "fft", FourierTransform::run)
                            .describedAs("forward Fourier transform, n a power of two")
                            .taking(
                                    input("x", "complex float64[n], real part first"),
                                    output("X", "complex float64[n], real part first")));

    /// For [java.util.ServiceLoader].
    public RoutineCatalog() {}

    @Override
    public List<RoutineSpec> routines() {
        return ROUTINES.routines();
    }

    private static Routine adding(int addend) {
        return context -> ByteAddition.run(context, addend);
    }
}
