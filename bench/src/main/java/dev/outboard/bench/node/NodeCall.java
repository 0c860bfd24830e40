package dev.outboard.bench.node;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.RoundTripTimes;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.naa.RegionSpec;
import dev.outboard.naa.client.NaaClient;
import dev.outboard.node.offload.Target;
import dev.outboard.node.routine.RoutineCatalog;
import java.lang.foreign.Arena;
import java.util.SplittableRandom;

/// Calls of a node in this process, one after the other, over RoCEv2.
final class NodeCall implements Ours.Subject {
    private static final String DEVICE = "roce://auto?peer=127.0.0.1";
    private static final int SMALL_BYTES = 64;

    private final TargetNode node;
    private final Device device = Fabric.open(DEVICE);
    private final Arena arena = Arena.ofShared();
    private final RoundTripTimes times = new RoundTripTimes();
    private final NaaClient client;
    private final Runnable check;

    /// Of a function that does nothing, with 64 bytes there and back.
    NodeCall(Target target) {
        node = new TargetNode(DEVICE, "empty", target);
        client =
                node.client(device)
                        .functionCode(RoutineCatalog.EMPTY)
                        .region(RegionSpec.inputOutput(arena.allocate(SMALL_BYTES)))
                        .open();
        check = () -> {};
    }

    /// Of the edge detection of a picture.
    NodeCall(Target target, int width, int height) {
        node = new TargetNode(DEVICE, "edges", target);
        EdgeImage image = new EdgeImage(arena, width, height, 3, new SplittableRandom(1));
        client = image.open(node, device);
        check = () -> requireRight(image.wrongBytes());
    }

    private static void requireRight(long wrongBytes) {
        if (wrongBytes > 0) {
            throw new IllegalStateException(wrongBytes + " bytes are wrong");
        }
    }

    @Override
    public double run(long nanos) {
        double median = times.median(nanos, client::invoke);
        check.run();
        return median;
    }

    @Override
    public void close() {
        client.close();
        device.close();
        node.close();
        arena.close();
    }
}
