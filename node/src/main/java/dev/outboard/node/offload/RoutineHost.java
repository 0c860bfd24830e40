package dev.outboard.node.offload;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RoutineRegion;
import dev.outboard.naa.server.RoutineSet;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.RpcContext;
import dev.outboard.node.offload.RoutinePipe.Answer;
import dev.outboard.node.offload.RoutinePipe.Call;
import dev.outboard.node.offload.RoutinePipe.Place;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/// The process that computes the routines of a JAR for a node: calls come by standard input,
/// answers go to descriptor 3, and it ends when standard input does.
public final class RoutineHost {
    /// Java's own, with `-XX:+ExitOnOutOfMemoryError`.
    static final int NO_MEMORY = 3;

    private static final String ANSWERS = "/dev/fd/3";

    private final DataInputStream in;
    private final DataOutputStream out;
    private final FileChannel file;
    private final Thread worker = Thread.currentThread();
    private final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();
    private MemorySegment regions = MemorySegment.NULL;
    private @Nullable RpcContext current;

    private RoutineHost(InputStream calls, FileOutputStream answers, FileChannel file) {
        this.in = new DataInputStream(new BufferedInputStream(calls));
        this.out = new DataOutputStream(new BufferedOutputStream(answers));
        this.file = file;
    }

    /// Computes until standard input ends.
    ///
    /// @param words the JAR, and the file with the regions
    public static void main(String[] words) throws IOException, InterruptedException {
        FileOutputStream answers = new FileOutputStream(ANSWERS);
        System.setIn(InputStream.nullInputStream());
        FileChannel file =
                FileChannel.open(
                        Path.of(words[1]), StandardOpenOption.READ, StandardOpenOption.WRITE);
        RoutineHost host = new RoutineHost(new FileInputStream(FileDescriptor.in), answers, file);
        Thread.ofPlatform().daemon().name("calls").start(host::readCalls);
        host.serve(Path.of(words[0]));
    }

    // ---- the thread that reads ------------------------------------------------------------------

    /// Nobody is left to compute for when the node is gone, whatever the routine is doing.
    private void readCalls() {
        try {
            int word = in.read();
            while (word >= 0) {
                if (word == RoutinePipe.CALL) {
                    calls.add(RoutinePipe.readCall(in));
                } else {
                    cancel();
                }
                word = in.read();
            }
        } catch (IOException _) {
            // As good as the end.
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }

    private synchronized void cancel() {
        if (current != null) {
            current.cancel();
            worker.interrupt();
        }
    }

    // ---- the thread that computes ---------------------------------------------------------------

    private void serve(Path jar) throws IOException, InterruptedException {
        RoutineSet routines;
        try {
            routines = RoutineSet.of().withJar(jar);
            refuseOffloads(routines, jar);
        } catch (IllegalArgumentException e) {
            out.writeByte(RoutinePipe.REFUSED);
            RoutinePipe.writeText(out, String.valueOf(e.getMessage()));
            out.flush();
            return;
        }
        out.writeByte(RoutinePipe.OFFERED);
        RoutinePipe.write(out, routines.routines());
        out.flush();
        while (true) {
            Call call = calls.take();
            RpcContext rpc = context(call);
            begin(rpc);
            Answer answer;
            try {
                answer = answer(routines, rpc);
            } finally {
                end();
            }
            RoutinePipe.write(out, answer);
            out.flush();
        }
    }

    private static void refuseOffloads(RoutineSet routines, Path jar) {
        for (RoutineSpec spec : routines.routines()) {
            if (spec.routine() instanceof Offload) {
                throw new IllegalArgumentException(
                        "routine '%s' of %s runs on a target, which only the node itself opens; it cannot be isolated"
                                .formatted(spec.name(), jar));
            }
        }
    }

    private synchronized void begin(RpcContext rpc) {
        current = rpc;
    }

    /// No interrupt may reach the next call.
    private synchronized void end() {
        current = null;
        Thread.interrupted();
    }

    /// As a server treats what its routines do.
    private static Answer answer(RoutineSet routines, RpcContext rpc) {
        try {
            int code = routines.find(rpc.functionCode()).orElseThrow().routine().run(rpc);
            return code >= 0 && code <= ReturnCode.LAST_APPLICATION
                    ? new Answer(code, "")
                    : new Answer(
                            ReturnCode.FIRST_APPLICATION,
                            "the routine returned %d; valid: 0x00 to 0x7f".formatted(code));
        } catch (RoutineException e) {
            return new Answer(e.returnCode(), String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError e) {
            System.err.println(e);
            Runtime.getRuntime().halt(NO_MEMORY);
            throw e;
        } catch (Throwable e) {
            return new Answer(ReturnCode.FIRST_APPLICATION, e.toString());
        }
    }

    private RpcContext context(Call call) throws IOException {
        if (regions.byteSize() != call.fileBytes()) {
            // What was mapped before goes with the garbage: a thread of a routine may still use it.
            regions = file.map(MapMode.READ_WRITE, 0, call.fileBytes(), Arena.ofAuto());
        }
        return new RpcContext(
                call.functionCode(),
                call.userBytes(),
                regions(call.parameters()),
                regions(call.internals()),
                System.nanoTime() + call.nanos());
    }

    private List<RoutineRegion> regions(List<Place> places) {
        List<RoutineRegion> made = new ArrayList<>();
        for (Place place : places) {
            made.add(
                    new RoutineRegion(
                            made.size(),
                            place.flags(),
                            place.naaAddress(),
                            regions.asSlice(place.offset(), place.size())));
        }
        return made;
    }
}
