package dev.outboard.console.afu;

import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.example.ByteWriter;
import dev.outboard.ccip.afu.example.Hello;
import dev.outboard.ccip.afu.example.InterruptSender;
import dev.outboard.ccip.afu.example.MemoryCopy;
import dev.outboard.ccip.afu.example.Sha256;
import dev.outboard.ccip.afu.example.UmsgEcho;
import dev.outboard.ccip.afu.example.VectorAdd;
import dev.outboard.ccip.platform.Profile;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/// What the host does with an AFU: one program for each example in Java, and some for AFUs of one's
/// own. All of them discover the AFU first.
enum HostProgram {
    /// Nothing more than discovery.
    DISCOVER,
    /// Gives the AFU a line and prints what it writes there.
    HELLO,
    /// Lets the AFU read a buffer and write another, whatever it makes of it.
    JOB,
    /// The same, and the second buffer must be as the first.
    COPY,
    /// Adds two buffers of integers.
    ADD,
    /// Computes a digest.
    SHA256,
    /// Lets the AFU write, and waits for its interrupt.
    INTERRUPT,
    /// Copies to the middle of a line.
    BYTES,
    /// Sends a UMsg and waits for the echo.
    UMSG;

    /// Its name in the command line.
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Makes the example in Java that this program is for.
    Optional<Supplier<Afu>> example() {
        return switch (this) {
            case DISCOVER, JOB -> Optional.empty();
            case HELLO -> Optional.of(Hello::new);
            case COPY -> Optional.of(MemoryCopy::new);
            case ADD -> Optional.of(VectorAdd::new);
            case SHA256 -> Optional.of(Sha256::new);
            case INTERRUPT -> Optional.of(InterruptSender::new);
            case BYTES -> Optional.of(ByteWriter::new);
            case UMSG -> Optional.of(UmsgEcho::new);
        };
    }

    /// A platform that has what the program needs.
    Profile platform() {
        return switch (this) {
            case BYTES -> Profile.PAC_D5005;
            case UMSG -> Profile.INTEGRATED;
            default -> Profile.PAC_A10;
        };
    }

    /// Runs to its end, and says what came out.
    String run(HostJob job) throws NoSuchAlgorithmException {
        return switch (this) {
            case DISCOVER -> "found AFU " + job.afuId();
            case HELLO -> job.hello();
            case JOB -> job.transform();
            case COPY -> job.copy();
            case ADD -> job.add();
            case SHA256 -> job.digest();
            case INTERRUPT -> job.interrupt();
            case BYTES -> job.shift();
            case UMSG -> job.umsg();
        };
    }
}
