package dev.outboard.doca;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A buffer in memory of a peer: the source of a read, the destination of a write or an atomic. Its
/// lengths are computed with like those of a [Buf]; its bytes are out of reach. See [BufRange] for
/// its life and threads.
///
/// DCORE-BUF-18: it is in no list.
public final class RemoteBuf extends BufRange {
    private final BufInventory inventory;
    private @Nullable RemoteMmap mmap;

    RemoteBuf(BufInventory inventory) {
        this.inventory = inventory;
    }

    /// The memory it points into.
    public RemoteMmap mmap() {
        requireOut();
        return Objects.requireNonNull(mmap);
    }

    @Override
    void requireHead(String what) {}

    @Override
    void takeBackFinally() {
        if (isOut()) {
            leave();
        }
    }

    @Override
    void giveBack() {
        inventory.requireThread();
        leave();
    }

    private void leave() {
        RemoteMmap pointedInto = mmap();
        mmap = null;
        takeBack();
        inventory.put(this);
        pointedInto.bufferReturned();
    }

    void handOut(RemoteMmap mmap, long head, long len, long data, long dataLen) {
        this.mmap = mmap;
        handOut(mmap.address(), head, len, data, dataLen);
        mmap.bufferMade();
    }
}
