package dev.outboard.dpa.nic;

import dev.outboard.fabric.Completion;

/// Completions of one queue pair on their way from whoever drives the device to the NIC's actor:
/// one thread at a time adds, the actor takes, without a lock and without allocating. It cannot run
/// full: it holds more than can be outstanding.
final class CompletionInbox {
    private final Completion[] slots;
    private final int mask;

    /// Counts, each stored by one side only.
    private volatile int added;

    private volatile int taken;

    /// @param atMost how many can be in it at once
    CompletionInbox(int atMost) {
        slots = new Completion[Integer.highestOneBit(2 * atMost)];
        mask = slots.length - 1;
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Completion();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time adds
    void add(Completion completion) {
        if (added - taken == slots.length) {
            throw new IllegalStateException(
                    "%s came beside %d others".formatted(completion, slots.length));
        }
        slots[added & mask].copyFrom(completion);
        added++;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // the actor takes alone
    boolean take(Completion into) {
        if (taken == added) {
            return false;
        }
        into.copyFrom(slots[taken & mask]);
        taken++;
        return true;
    }
}
