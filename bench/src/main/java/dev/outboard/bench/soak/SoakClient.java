package dev.outboard.bench.soak;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongFunction;

/// One client after the other, each with a device, a dialect and a size of its own; each calls the
/// routine that increments bytes, looks at every byte, and leaves, with or without a good-bye. Its
/// thread runs [#run].
final class SoakClient {
    private static final int INCREMENT = 1;
    private static final int MOST_RPCS = 50;

    /// One session in so many ends with a device that is closed in the middle of a call.
    private static final int KILL_ONE_IN = 4;

    private final String host;
    private final int port;
    private final LongFunction<String> deviceUri;
    private final long maxBytes;
    private final SplittableRandom random;
    private final Tally tally;

    /// @param deviceUri the device for a seed
    SoakClient(
            String host,
            int port,
            LongFunction<String> deviceUri,
            long maxBytes,
            long seed,
            Tally tally) {
        this.host = host;
        this.port = port;
        this.deviceUri = deviceUri;
        this.maxBytes = maxBytes;
        this.random = new SplittableRandom(seed);
        this.tally = tally;
    }

    /// Goes on until `stop` is counted down.
    void run(CountDownLatch stop) {
        while (stop.getCount() > 0) {
            try (Device device = Fabric.open(deviceUri.apply(random.nextLong(1_000_000)));
                    Arena arena = Arena.ofShared()) {
                session(device, arena.allocate(size()), stop);
            } catch (RuntimeException e) {
                tally.failed(e);
            }
        }
    }

    /// Small sizes as often as large ones.
    private long size() {
        double exponent = random.nextDouble() * Math.log((double) maxBytes);
        return Math.clamp((long) Math.exp(exponent), 1, maxBytes);
    }

    private void session(Device device, MemorySegment memory, CountDownLatch stop) {
        Dialect dialect = random.nextBoolean() ? Dialect.UPSTREAM_2026 : Dialect.AP1_2023;
        tally.sessions.increment();
        try (NaaClient client =
                NaaClient.builder(host, port)
                        .device(device)
                        .dialect(dialect)
                        .functionCode(INCREMENT)
                        .region(RegionSpec.inputOutput(memory))
                        .open()) {
            if (dialect == Dialect.AP1_2023) {
                client.setReturnRegion(0);
            }
            int rpcs = random.nextInt(1, MOST_RPCS);
            for (int i = 0; i < rpcs && stop.getCount() > 0; i++) {
                call(client, memory);
            }
            if (random.nextInt(KILL_ONE_IN) == 0) {
                kill(client, device);
            }
        }
    }

    private void call(NaaClient client, MemorySegment memory) {
        byte[] sent = new byte[(int) memory.byteSize()];
        random.nextBytes(sent);
        MemorySegment.copy(sent, 0, memory, ValueLayout.JAVA_BYTE, 0, sent.length);
        client.invoke();
        long wrong = 0;
        for (int i = 0; i < sent.length; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, i) != (byte) (sent[i] + 1)) {
                wrong++;
            }
        }
        tally.wrongBytes.add(wrong);
        tally.bytes.add(2L * sent.length);
        tally.rpcs.increment();
    }

    /// The device goes away under a call; what that call, and the closing of the client, say about
    /// it is as it should be.
    private void kill(NaaClient client, Device device) {
        tally.kills.increment();
        client.startRpc();
        device.close();
    }
}
