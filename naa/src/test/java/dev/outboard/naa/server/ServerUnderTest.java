package dev.outboard.naa.server;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.Device;
import dev.outboard.naa.NaaState;
import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.naa.client.NaaClientBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A server and what tests need to talk to it, on a device of their choice.
public final class ServerUnderTest implements AutoCloseable {
    public static final int INCREMENT = 1;
    public static final int NOTHING = 3;

    public final Arena arena = Arena.ofShared();
    final Device clientDevice;
    public final NaaServer server;
    public final String host;

    /// What the observer was told, in order.
    final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    /// The failures of connections, in order.
    public final Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();

    public ServerUnderTest(
            Device serverDevice,
            Device clientDevice,
            ServerOptions.Builder options,
            RoutineSpec... more) {
        this.clientDevice = clientDevice;
        List<RoutineSpec> routines = new ArrayList<>(List.of(more));
        routines.add(RoutineSpec.of(INCREMENT, "increment", ServerUnderTest::increment).asShort());
        routines.add(RoutineSpec.of(NOTHING, "nothing", _ -> ReturnCode.SUCCESS));
        RoutineSet set = RoutineSet.of(routines.toArray(RoutineSpec[]::new));
        server = NaaServer.start(serverDevice, 0, set, options.observer(observer()).build());
        host = serverDevice.address().getHostAddress();
    }

    public NaaClientBuilder client() {
        return NaaClient.builder(host, server.port()).device(clientDevice);
    }

    /// Ends routines that a test left running.
    public volatile boolean stopped;

    /// Whether a routine runs for some client.
    public boolean calculating() {
        return server.connections().stream()
                .anyMatch(context -> context.state() == NaaState.CALCULATING);
    }

    /// Ends all connections, as the server may at any time.
    public void breakConnections() {
        server.connections().forEach(NaaServerContext::breakOff);
    }

    /// Waits for an event that the observer is told of.
    public String awaitEvent(String start) {
        try {
            String event = events.poll(30, TimeUnit.SECONDS);
            while (event != null && !event.startsWith(start)) {
                event = events.poll(30, TimeUnit.SECONDS);
            }
            assertThat(event).as("event '%s'", start).isNotNull();
            return String.valueOf(event);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Memory whose bytes count up from `first`.
    public MemorySegment memory(long size, int first) {
        MemorySegment memory = arena.allocate(size);
        for (long i = 0; i < size; i++) {
            memory.set(JAVA_BYTE, i, (byte) (first + i));
        }
        return memory;
    }

    public static int increment(RpcContext rpc) {
        for (RoutineRegion region : rpc.parameters()) {
            for (long i = 0; i < region.size(); i++) {
                byte old = region.memory().get(JAVA_BYTE, i);
                region.memory().set(JAVA_BYTE, i, (byte) (old + 1));
            }
        }
        return ReturnCode.SUCCESS;
    }

    private ServerObserver observer() {
        return new ServerObserver() {
            @Override
            public void connected(NaaServerContext connection) {
                events.add("connected");
            }

            @Override
            public void rejected(InetSocketAddress peer, String why) {
                events.add("rejected: " + why);
            }

            @Override
            public void answered(
                    NaaServerContext connection, RpcContext rpc, int returnCode, long nanos) {
                events.add("answered %d with %d".formatted(rpc.functionCode(), returnCode));
            }

            @Override
            public void routineFailed(
                    NaaServerContext connection, RpcContext rpc, Throwable failure) {
                events.add("routine failed: " + failure.getMessage());
            }

            @Override
            public void routineOverran(RoutineSpec routine, long nanos, boolean moved) {
                events.add(moved ? "moved " + routine.name() : "overran " + routine.name());
            }

            @Override
            public void hostError(NaaServerContext connection) {
                events.add("host error");
            }

            @Override
            public void disconnected(NaaServerContext connection) {
                events.add("disconnected");
            }

            @Override
            public void failed(String peer, RuntimeException failure) {
                failures.add(failure);
                events.add("failed: " + failure.getMessage());
            }
        };
    }

    @Override
    public void close() {
        server.close();
        arena.close();
    }
}
