package dev.outboard.node.offload;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.node.offload.RoutinePipe.Answer;
import dev.outboard.node.offload.RoutinePipe.Call;
import dev.outboard.node.offload.RoutinePipe.Place;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A [RoutineHost] as a node has it. It computes one call at a time. Once it has ended, was killed
/// or has not been understood, it is not sound any more and only to be closed.
final class RoutineProcess implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration END_LIMIT = Duration.ofSeconds(5);

    /// What a call gets to end by itself when nobody waits for it any more.
    private static final Duration GRACE = Duration.ofMillis(20);

    /// What a JVM takes besides heap and what routines allocate.
    private static final long OWN_BYTES = 256L << 20;

    private static final int SIGNALLED = 128;

    /// Signals to the group of the node leave it alone, which ends it when the last call is over.
    /// Answers have a descriptor that nobody prints to by habit, as the JVM does when it crashes.
    private static final String LIMITED =
            "trap '' INT HUP TERM; ulimit -c 0; ulimit -d \"$0\" 2>/dev/null; exec \"$@\" 3>&1 1>&2";

    private final Path jar;
    private final Process process;
    private final RegionFile regions;
    private final DataOutputStream calls;
    private final CompletableFuture<List<RoutineSpec>> offered = new CompletableFuture<>();

    /// Empty once there will be none any more.
    private final BlockingQueue<Optional<Answer>> answers = new LinkedBlockingQueue<>();

    private boolean isSound = true;

    private RoutineProcess(Path jar, Process process, RegionFile regions) {
        this.jar = jar;
        this.process = process;
        this.regions = regions;
        this.calls = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
    }

    /// Starts one and waits until it is ready.
    ///
    /// @param offload by which the routines run that it offers
    /// @param memoryBytes how much heap it may have, and how much other memory
    /// @throws IllegalArgumentException if the JAR has no routines, or they need a device
    /// @throws IOException if it does not get ready
    static RoutineProcess start(Path jar, long memoryBytes, Offload offload) throws IOException {
        RegionFile regions = RegionFile.create();
        try {
            Process process =
                    new ProcessBuilder(command(jar, memoryBytes, regions.path()))
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            RoutineProcess made = new RoutineProcess(jar, process, regions);
            made.awaitReady(offload);
            regions.unlink();
            return made;
        } catch (IOException | RuntimeException e) {
            regions.close();
            throw e;
        }
    }

    private static List<String> command(Path jar, long memoryBytes, Path regions) {
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", LIMITED));
        words.add(String.valueOf((2 * memoryBytes + OWN_BYTES) >> 10));
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(
                List.of(
                        "-Xmx" + memoryBytes,
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:+UseSerialGC",
                        // A loop does not keep the thread that notices the end of the node waiting.
                        "-XX:+UseCountedLoopSafepoints",
                        "-XX:LoopStripMiningIter=1000",
                        "-XX:ReservedCodeCacheSize=64m",
                        "-XX:-UsePerfData",
                        "-XX:ErrorFile=/dev/null",
                        "--enable-native-access=ALL-UNNAMED"));
        String modules = System.getProperty("jdk.module.path");
        String main = RoutineHost.class.getName();
        if (modules == null) {
            words.addAll(List.of("--class-path", System.getProperty("java.class.path"), main));
        } else {
            words.addAll(List.of("--add-modules", "java.se,jdk.unsupported"));
            words.addAll(List.of("--module-path", modules));
            words.addAll(List.of("--module", "dev.outboard.node/" + main));
        }
        words.addAll(List.of(jar.toString(), regions.toString()));
        return words;
    }

    /// Waits until it is ready, and kills it if it does not get so.
    private void awaitReady(Offload offload) throws IOException {
        Thread.ofPlatform()
                .daemon()
                .name("routines-of-" + jar.getFileName())
                .start(() -> readAnswers(offload));
        boolean isReady = false;
        try {
            offered.get(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            isReady = true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IllegalArgumentException refused) {
                throw new IllegalArgumentException(refused.getMessage(), refused);
            }
            throw new IOException(
                    "the process of %s did not start: it %s".formatted(jar, death()), e);
        } catch (TimeoutException e) {
            throw new IOException(
                    "the process of %s did not start within %d s"
                            .formatted(jar, START_LIMIT.toSeconds()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the process of %s started".formatted(jar), e);
        } finally {
            if (!isReady) {
                process.destroyForcibly();
            }
        }
    }

    /// What it offers.
    List<RoutineSpec> routines() {
        return offered.join();
    }

    /// Whether it may be used for another call.
    boolean isSound() {
        return isSound && answers.isEmpty() && process.isAlive();
    }

    // ---- the thread that reads ------------------------------------------------------------------

    private void readAnswers(Offload offload) {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(process.getInputStream()))) {
            if (in.readByte() == RoutinePipe.REFUSED) {
                offered.completeExceptionally(new IllegalArgumentException(in.readUTF()));
                return;
            }
            offered.complete(RoutinePipe.readSpecs(in, offload));
            while (true) {
                answers.add(Optional.of(RoutinePipe.readAnswer(in)));
            }
        } catch (IOException | RuntimeException e) {
            offered.completeExceptionally(e);
        } finally {
            answers.add(Optional.empty());
        }
    }

    // ---- calls ----------------------------------------------------------------------------------

    /// Has it compute a call on copies of its regions.
    ///
    /// @return the code
    /// @throws RoutineException if the routine throws, or does not come to an end
    /// @throws InterruptedException if nobody waits for it any more
    int run(RpcContext rpc) throws RoutineException, InterruptedException {
        List<RoutineRegion> all = new ArrayList<>(rpc.parameters());
        all.addAll(rpc.internals());
        isSound = false;
        List<Place> places = put(all);
        Answer answer = answer(rpc, places);
        isSound = true;
        regions.get(all, places);
        if (!answer.why().isEmpty() && answer.code() >= ReturnCode.FIRST_APPLICATION) {
            throw new RoutineException(answer.code(), answer.why());
        }
        return answer.code();
    }

    private List<Place> put(List<RoutineRegion> all) throws RoutineException {
        try {
            return regions.put(all);
        } catch (IOException e) {
            throw TargetError.FAILED.because(
                    "no room for the regions of a call to the process of %s: %s"
                            .formatted(jar, e.getMessage()));
        }
    }

    private Answer answer(RpcContext rpc, List<Place> places)
            throws RoutineException, InterruptedException {
        try {
            send(rpc, places);
            return await(rpc);
        } catch (IOException _) {
            throw ended();
        }
    }

    private void send(RpcContext rpc, List<Place> places) throws IOException {
        int parameters = rpc.parameters().size();
        RoutinePipe.write(
                calls,
                new Call(
                        rpc.functionCode(),
                        rpc.userByte(0) | rpc.userByte(1) << 8 | rpc.userByte(2) << 16,
                        rpc.remaining().toNanos(),
                        regions.bytes(),
                        places.subList(0, parameters),
                        places.subList(parameters, places.size())));
        calls.flush();
    }

    private Answer await(RpcContext rpc)
            throws RoutineException, InterruptedException, IOException {
        Optional<Answer> answer;
        try {
            answer = poll(rpc.remaining().plus(GRACE));
        } catch (InterruptedException _) {
            calls.writeByte(RoutinePipe.CANCEL);
            calls.flush();
            answer = poll(GRACE);
        }
        return answer.orElseThrow(this::ended);
    }

    /// The next answer, or none from one that had to be killed, or has ended.
    private Optional<Answer> poll(Duration limit) throws InterruptedException, RoutineException {
        Optional<Answer> next = answers.poll(limit.toNanos(), TimeUnit.NANOSECONDS);
        if (next == null) {
            process.destroyForcibly();
            throw TargetError.FAILED.because(
                    "the process of %s was killed: its call had not ended in time".formatted(jar));
        }
        return next;
    }

    private RoutineException ended() {
        return TargetError.FAILED.because("the process of %s %s".formatted(jar, death()));
    }

    /// How it ended.
    private String death() {
        try {
            if (!process.waitFor(END_LIMIT)) {
                return "goes on, but is not understood";
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "ends";
        }
        int code = process.exitValue();
        if (code == RoutineHost.NO_MEMORY) {
            return "has ended with exit code 3, as Java does without memory";
        }
        return code > SIGNALLED
                ? "was ended by signal " + (code - SIGNALLED)
                : "has ended with exit code " + code;
    }

    /// Kills it.
    @Override
    public void close() {
        process.destroyForcibly();
        regions.close();
    }
}
