package dev.outboard.bench.soak;

import dev.outboard.bench.node.EdgeImage;
import dev.outboard.bench.node.TargetNode;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.client.NaaClient;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongFunction;

/// One client after the other, each with a device, a node and a picture of its own; each has edges
/// found, looks at every byte, and leaves, with or without a good-bye. Its thread runs [#run].
final class EdgeClient {
    private static final int MOST_SIDE = 700;
    private static final int MOST_RPCS = 20;

    /// One session in so many ends with a device that is closed in the middle of a call.
    private static final int KILL_ONE_IN = 4;

    private final List<TargetNode> nodes;
    private final LongFunction<String> deviceUri;
    private final SplittableRandom random;
    private final Tally tally;

    /// @param deviceUri the device for a seed
    EdgeClient(List<TargetNode> nodes, LongFunction<String> deviceUri, long seed, Tally tally) {
        this.nodes = nodes;
        this.deviceUri = deviceUri;
        this.random = new SplittableRandom(seed);
        this.tally = tally;
    }

    /// Goes on until `stop` is counted down.
    void run(CountDownLatch stop) {
        while (stop.getCount() > 0) {
            try (Device device = Fabric.open(deviceUri.apply(random.nextLong(1_000_000)));
                    Arena arena = Arena.ofShared()) {
                session(device, arena, stop);
            } catch (RuntimeException e) {
                tally.failed(e);
            }
        }
    }

    private void session(Device device, Arena arena, CountDownLatch stop) {
        TargetNode node = nodes.get(random.nextInt(nodes.size()));
        EdgeImage image =
                new EdgeImage(
                        arena,
                        random.nextInt(1, MOST_SIDE),
                        random.nextInt(1, MOST_SIDE),
                        random.nextBoolean() ? 1 : 3,
                        random);
        tally.sessions.increment();
        try (NaaClient client = image.open(node, device)) {
            int rpcs = random.nextInt(1, MOST_RPCS);
            for (int i = 0; i < rpcs && stop.getCount() > 0; i++) {
                client.invoke();
                tally.wrongBytes.add(image.wrongBytes());
                tally.bytes.add(image.bytes());
                tally.rpcs.increment();
            }
            if (random.nextInt(KILL_ONE_IN) == 0) {
                tally.kills.increment();
                client.startRpc();
                device.close();
            }
        }
    }
}
