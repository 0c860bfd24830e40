package dev.outboard.fabric.memory;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.SendRequest;
import org.jspecify.annotations.Nullable;

/// A memory window of one [RegionTable] (roce.md 3.11). Binding and invalidating happen under the
/// table's lock, because a region must not be closed meanwhile; looking it up takes no lock and is
/// for the thread that drives the device, which also is the one that binds and invalidates.
public final class AllocatedWindow implements MemoryWindow, KeyHolder {
    private static final int KEY_PART = 0xFF;

    private final RegionTable table;
    private final int domain;
    private final Type type;
    private volatile int key;
    private boolean closed;

    /// What it is bound to; null if it is not.
    private volatile @Nullable RegisteredRegion region;

    private int queuePair;
    private long address;
    private long length;
    private int accessBits;

    AllocatedWindow(RegionTable table, int domain, Type type, int key) {
        this.table = table;
        this.domain = domain;
        this.type = type;
        this.key = key;
    }

    int domain() {
        return domain;
    }

    boolean isOf(RegionTable other) {
        return table == other;
    }

    @Override
    public Type type() {
        return type;
    }

    @Override
    public int remoteKey() {
        return key;
    }

    /// Binds the window to a part of `target` for the peer of queue pair `binder`.
    ///
    /// ROCE-MR-3: which windows may be bound, to what, and by whom.
    ///
    /// @param keyPart the low eight bits of the new key, or [SendRequest#NEXT_KEY_PART]
    /// @return false if the rules of roce.md 3.11 forbid it; nothing has changed then
    public boolean bind(
            int binderDomain,
            int binder,
            RegisteredRegion target,
            long offset,
            long newLength,
            int newAccessBits,
            int keyPart) {
        synchronized (table) {
            if (closed
                    || domain != binderDomain
                    || target.domain() != domain
                    || !target.covers(offset, newLength)
                    || !target.permitsWindow(newAccessBits)
                    || (type == Type.TYPE_2B && !isFree(newLength, keyPart))) {
                return false;
            }
            unbind();
            key =
                    (key & ~KEY_PART)
                            | ((keyPart == SendRequest.NEXT_KEY_PART ? key + 1 : keyPart)
                                    & KEY_PART);
            queuePair = binder;
            address = target.address() + offset;
            length = newLength;
            accessBits = newAccessBits;
            if (newLength > 0) {
                target.windows++;
                region = target;
            }
            return true;
        }
    }

    /// A window of type 2B is bound only when it is not, to something, and under another key than
    /// before, which a peer may still hold.
    private boolean isFree(long newLength, int keyPart) {
        return region == null && newLength > 0 && keyPart != (key & KEY_PART);
    }

    /// Takes the key back on behalf of queue pair `invalidator`; false if it may not, or `oldKey`
    /// is not the window's key any more.
    boolean invalidate(int invalidatorDomain, int invalidator, int oldKey) {
        synchronized (table) {
            if (type != Type.TYPE_2B
                    || region == null
                    || key != oldKey
                    || domain != invalidatorDomain
                    || queuePair != invalidator) {
                return false;
            }
            unbind();
            return true;
        }
    }

    /// The queue pair is gone, or has been reset: what it had bound for its peer is void.
    void queuePairGone(int number) {
        if (type == Type.TYPE_2B && queuePair == number) {
            unbind();
        }
    }

    private void unbind() {
        RegisteredRegion bound = region;
        if (bound != null) {
            region = null;
            bound.windows--;
        }
    }

    @Override
    public @Nullable RegisteredRegion open(
            int userDomain, int user, long from, long count, Access right) {
        RegisteredRegion bound = region;
        long offset = from - address;
        boolean isOpen =
                bound != null
                        && domain == userDomain
                        && (type == Type.TYPE_1 || queuePair == user)
                        && (accessBits & right.bit()) != 0
                        && offset >= 0
                        && count >= 0
                        && count <= length
                        && offset <= length - count
                        && bound.covers(bound.offsetOf(from), count);
        return isOpen ? bound : null;
    }

    @Override
    public void close() {
        synchronized (table) {
            if (!closed) {
                closed = true;
                unbind();
                table.remove(this);
            }
        }
    }
}
