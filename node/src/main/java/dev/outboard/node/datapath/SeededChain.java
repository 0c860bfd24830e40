package dev.outboard.node.datapath;

import dev.outboard.ccip.afu.example.EdgeDetector;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioBuffer;
import dev.outboard.dpa.flexio.FlexioMkey;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.ExternalKind;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.Observer;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.nic.Access;
import dev.outboard.dpa.trace.Trace;
import dev.outboard.naa.RegionFlags;
import dev.outboard.node.datapath.SimulatedClient.Region;
import dev.outboard.node.offload.AfuFunction;
import dev.outboard.node.offload.AfuPort;
import dev.outboard.node.offload.KernelLanguage;
import dev.outboard.node.routine.EdgeDetection;
import dev.outboard.node.routine.RoutineCatalog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The chain as a function of a seed: one call of edge detection, from a host program over a
/// simulated NIC to a handler of the DPA and the function of an FPGA behind it, and back. The
/// machine and its NIC take turns by the seed, and the function is clocked by the loads of its
/// registers, so that there is one virtual time; the same seed gives the same trace, byte for byte.
public final class SeededChain {
    private static final long PAGE_BYTES = 4096;
    private static final int LONGEST_MESSAGE = 64 << 20;

    /// Of virtual time.
    private static final Duration LIMIT = Duration.ofMinutes(10);

    /// A cycle of pClk takes 2.5 ns.
    private static final int CLOCK_MHZ = 400;

    private final Arena arena;
    private final FlexioProcess process;
    private final HandlerSide handler;
    private final ChainedAfu function;

    /// What has come of the call.
    ///
    /// @param code the return code
    /// @param edges a byte per pixel
    /// @param cycles of the function's clock
    /// @param trace for Perfetto
    public record Outcome(int code, byte[] edges, long cycles, byte[] trace) {}

    private SeededChain(Arena arena, FlexioProcess process, HandlerSide handler, ChainedAfu afu) {
        this.arena = arena;
        this.process = process;
        this.handler = handler;
        this.function = afu;
    }

    /// Runs it.
    ///
    /// @param observer follows the machine: a checker, for one
    /// @param kernels what the handler is written in
    /// @param image what the pixels are of
    /// @throws IllegalStateException if no answer comes
    public static Outcome run(
            Observer observer,
            long seed,
            KernelLanguage kernels,
            EdgeDetection.Image image,
            byte... pixels) {
        HandlerProgram forwarding = NodePrograms.in(kernels).forwarding();
        AfuPort port = new AfuPort(AfuFunction.of(EdgeDetector.AFU_ID, EdgeDetector::new), seed);
        ChainedAfu function =
                new ChainedAfu(
                        port,
                        Set.of(RoutineCatalog.EDGE_DETECTION),
                        DpaDataPath.LONGEST_CALL,
                        () -> port.cycles() * 1000 / CLOCK_MHZ,
                        why -> {
                            throw new IllegalStateException(why);
                        });
        DpaDevice device = DpaDevice.of(MachineOptions.DEFAULT, RunMode.check(observer, seed));
        try (Arena arena = Arena.ofShared();
                HostProcess host = HostProcess.open();
                FlexioProcess process =
                        FlexioProcess.create(
                                host,
                                device,
                                forwarding.app(),
                                FlexioProcess.Attributes.DEFAULT.withMaxMessageBytes(
                                        LONGEST_MESSAGE));
                Trace trace = device.trace()) {
            process.runtime(List::of, () -> {});
            function.trace(trace, Optional.empty());
            HandlerSide handler = new HandlerSide(process, forwarding);
            SeededChain chain = new SeededChain(arena, process, handler, function);
            byte[] edges = new byte[image.width() * image.height()];
            long before = port.cycles();
            int code = chain.call(image, pixels, edges);
            return new Outcome(code, edges, port.cycles() - before, written(trace));
        } finally {
            function.close();
        }
    }

    private static byte[] written(Trace trace) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            trace.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private int call(EdgeDetection.Image image, byte[] pixels, byte[] edges) {
        SimulatedClient client = new SimulatedClient(process);
        client.pair().connect(handler.pair());
        MemorySegment header = arena.allocate(PAGE_BYTES, PAGE_BYTES);
        EdgeDetection.writeHeader(header, image.width(), image.height(), image.channels());
        MemorySegment own = pages(pixels.length);
        MemorySegment.copy(pixels, 0, own, ValueLayout.JAVA_BYTE, 0, pixels.length);
        MemorySegment result = pages(edges.length);
        Region[] theirs = {
            region("header", header, EdgeDetection.HEADER_BYTES),
            region("pixels", own, pixels.length),
            region("edges", result, edges.length)
        };
        Region[] ours = new Region[theirs.length];
        handler.reach(function);
        handler.set(ClientDescriptor.REGIONS, theirs.length);
        for (int i = 0; i < theirs.length; i++) {
            ours[i] = grant(i, theirs[i], i < theirs.length - 1);
        }
        handler.set(ClientDescriptor.READY, 1);
        int code =
                client.call(
                        RoutineCatalog.EDGE_DETECTION,
                        new Region[] {theirs[0], theirs[1]},
                        new Region[] {ours[0], ours[1]},
                        LIMIT);
        if (code < 0) {
            throw new IllegalStateException("no answer within %s of virtual time".formatted(LIMIT));
        }
        MemorySegment.copy(result, ValueLayout.JAVA_BYTE, 0, edges, 0, edges.length);
        return code;
    }

    private Region grant(int index, Region theirs, boolean isInput) {
        MemorySegment pages = pages(theirs.bytes());
        int flags = isInput ? RegionFlags.INPUT : RegionFlags.OUTPUT;
        Region ours = region("region " + index, pages, theirs.bytes());
        handler.set(
                ClientDescriptor.region(index),
                ours.key(),
                ours.address(),
                theirs.bytes(),
                flags,
                theirs.address(),
                theirs.key(),
                function.lineAddress(pages, 0),
                1,
                0);
        return ours;
    }

    private MemorySegment pages(long bytes) {
        return arena.allocate(Math.ceilDiv(bytes, PAGE_BYTES) * PAGE_BYTES, PAGE_BYTES);
    }

    private Region region(String name, MemorySegment pages, long bytes) {
        FlexioBuffer buffer = FlexioBuffer.of(process, name, ExternalKind.HOST, pages);
        int key =
                FlexioMkey.create(
                                process.domain(),
                                buffer,
                                0,
                                pages.byteSize(),
                                Access.LOCAL_WRITE,
                                Access.REMOTE_WRITE)
                        .number();
        return new Region(buffer.address().value(), key, bytes);
    }
}
