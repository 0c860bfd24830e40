package dev.outboard.fabric.memory;

import dev.outboard.fabric.Access;
import org.jspecify.annotations.Nullable;

/// What a remote key stands for: a registered region, or a window onto a part of one (roce.md
/// 3.11).
sealed interface KeyHolder permits RegisteredRegion, AllocatedWindow {
    int remoteKey();

    /// The region that holds all `length` bytes from `address`, if the peer of queue pair
    /// `queuePair` in `domain` may do there what `right` stands for; otherwise null.
    @Nullable RegisteredRegion open(
            int domain, int queuePair, long address, long length, Access right);
}
