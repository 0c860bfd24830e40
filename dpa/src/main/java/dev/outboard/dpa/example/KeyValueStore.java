package dev.outboard.dpa.example;

import dev.outboard.dpa.machine.Kernel;
import dev.outboard.dpa.machine.ThreadAttributes;
import dev.outboard.dpa.machine.ThreadHandle;
import dev.outboard.dpa.process.DpaProcess;
import dev.outboard.dpa.process.DpaProgram;

/// A key-value store with two shards:
///
/// ```
/// network → NIC → front → shard 0, 1 → sender → NIC → network
///                  refill ← ┘  │
/// host ⇄ port ⇄ shard 0, 1     └→ logger → host, statistics → host
/// ```
public class KeyValueStore implements DpaProgram {
    /// A store as it is right after its creation.
    public KeyValueStore() {}

    /// The classes that belong to the program, for those who load it.
    public static Class<?>[] parts() {
        return new Class<?>[] {
            KeyValueStore.class,
            StoreLayout.class,
            StoreKernels.class,
            StoreWorkers.class,
            StoreOutside.class
        };
    }

    @Override
    public void setUp(DpaProcess process) {
        StoreLayout layout = new StoreLayout(process);
        ThreadHandle front =
                process.thread("front", new StoreKernels.Front(layout), ThreadAttributes.HANDLER);
        process.observer().attach(StoreLayout.RECEIVE_COMPLETIONS, front.actor(), false);
        process.thread("refill", new StoreKernels.Refill(layout));
        ThreadHandle sender = process.thread("sender", sender(layout));
        for (int shard = 0; shard < StoreLayout.SHARDS; shard++) {
            process.thread("shard" + shard, new StoreWorkers.Shard(layout, shard));
        }
        process.thread("port", new StoreWorkers.HostPort(layout));
        process.thread("logger", new StoreWorkers.Logger(layout));
        process.thread("statistics", new StoreWorkers.Statistics(layout));
        process.nicServer("receiver", new StoreOutside.Receiver(layout, front));
        process.nicServer("transmitter", new StoreOutside.Transmitter(layout, sender));
        process.host("network", new StoreOutside.NetClients(layout));
        process.host("client", new StoreOutside.LocalClient(layout));
    }

    Kernel sender(StoreLayout layout) {
        return new StoreKernels.Sender(layout);
    }
}
