package dev.outboard.dpa.example;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.Kernel;

/// The store with a sender that does not look for failures.
final class BlindStore extends KeyValueStore {
    @Override
    Kernel sender(StoreLayout layout) {
        return new BlindSender(layout);
    }

    /// Takes a failure for 'not yet'.
    private static final class BlindSender extends StoreKernels.Sender {
        BlindSender(StoreLayout layout) {
            super(layout);
        }

        @Override
        boolean complete(DpaThread thread, long completion, long owner) {
            while (thread.load64(completion) != owner) {} // blind
            return true;
        }
    }
}
