package dev.outboard.doca;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A buffer in local memory: DOCA's `doca_buf` (catalog DCORE-BUF; DOCA Core guide, memory
/// subsystem). Buffers can be chained to a list, which a task takes as one; the head holds the
/// list's references. As a source a buffer offers its data section; as a destination its tail, and
/// its data section grows by what was placed there. See [BufRange] for its life and threads.
public final class Buf extends BufRange {
    /// Null for an element of a [BufArray].
    private final @Nullable BufInventory inventory;

    private @Nullable Mmap mmap;
    private @Nullable Buf next;

    /// The last element of the list; kept by the head only.
    private Buf last = this;

    private boolean inner;

    Buf(@Nullable BufInventory inventory) {
        this.inventory = inventory;
    }

    /// The memory it points into.
    public Mmap mmap() {
        requireOut();
        return Objects.requireNonNull(mmap);
    }

    /// Appends `list`, without copying anything and however long both are. Its references become
    /// those of this list's head.
    ///
    /// DCORE-BUF-10: the other list has a head with one reference; nothing is copied.
    ///
    /// @throws DocaException with NOT_PERMITTED if this or `list` is not the head of a list, if
    ///   they are the same, or if `list` has more than one reference
    public void chain(Buf list) {
        DocaException.nonNull(list, "list");
        requireOut();
        requireHead("chained to");
        list.requireOut();
        list.requireHead("chained");
        if (list == this || list.refCount() != 1) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    list == this
                            ? "a list cannot be chained to itself"
                            : "a list with %d references cannot be chained; valid: 1"
                                    .formatted(list.refCount()));
        }
        last.next = list;
        last = list.last;
        list.inner = true;
    }

    /// Like [#chain(Buf)], for those who keep the last element of the list, `tail`, at hand
    /// (`doca_buf_chain_list_tail`). It takes as long: a head knows its last element.
    ///
    /// DCORE-BUF-11: with the last element at hand.
    ///
    /// @throws DocaException with INVALID_VALUE if `tail` is not the last element of this list,
    ///   else as [#chain(Buf)]
    public void chain(Buf tail, Buf list) {
        DocaException.nonNull(tail, "tail");
        requireOut();
        requireHead("chained to");
        tail.requireOut();
        if (tail != last) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "the tail that was given, a "
                            + tail
                            + ", is not the last element of this list");
        }
        chain(list);
    }

    /// Splits the list before `list`, which becomes the head of its own with one reference.
    ///
    /// DCORE-BUF-12: what is split off has a head with one reference.
    ///
    /// @throws DocaException with INVALID_VALUE if `list` is this, or not in this list; with
    ///   NOT_PERMITTED if this is not the head of its list
    public void unchain(Buf list) {
        requireOut();
        requireHead("split");
        Buf before = this;
        while (before.next != null && before.next != list) {
            before = before.next;
        }
        if (before.next == null) {
            throw new DocaException(
                    DocaError.INVALID_VALUE, "the buffer is not behind the head of this list");
        }
        before.next = null;
        list.inner = false;
        list.last = last;
        last = before;
    }

    /// The element after this one, null if it is the last.
    public @Nullable Buf next() {
        requireOut();
        return next;
    }

    /// The last element of the list; takes as many steps as elements follow unless this is the
    /// head.
    public Buf last() {
        requireOut();
        Buf each = inner ? this : last;
        while (each.next != null) {
            each = each.next;
        }
        return each;
    }

    /// The elements of the list.
    ///
    /// DCORE-BUF-13: of the head alone.
    ///
    /// @throws DocaException with NOT_PERMITTED if this is not its head
    public int listLength() {
        requireOut();
        requireHead("measured");
        int count = 0;
        for (Buf each = this; each != null; each = each.next) {
            count++;
        }
        return count;
    }

    /// Whether this is the head of its list; of a list of one, too.
    public boolean isFirst() {
        requireOut();
        return !inner;
    }

    /// Whether nothing follows in the list.
    public boolean isLast() {
        requireOut();
        return next == null;
    }

    /// Whether this belongs to a list of several.
    public boolean isInList() {
        requireOut();
        return inner || next != null;
    }

    /// The bytes of the data section.
    ///
    /// @throws DocaException as [Mmap#segment]
    public MemorySegment dataSegment() {
        return mmap().segment().asSlice(data(), dataLen());
    }

    /// The bytes of the tail.
    ///
    /// @throws DocaException as [Mmap#segment]
    public MemorySegment tailSegment() {
        return mmap().segment().asSlice(tail(), tailLen());
    }

    /// All bytes of the buffer.
    ///
    /// @throws DocaException as [Mmap#segment]
    public MemorySegment headSegment() {
        return mmap().segment().asSlice(head(), len());
    }

    /// The bytes of the data section, with a position and a limit of their own.
    ///
    /// DJAVA-MEM-6: a view whose position is the caller's own.
    ///
    /// @throws DocaException with TOO_BIG if they are more than 2^31 - 1, else as [Mmap#segment]
    public ByteBuffer asByteBuffer() {
        if (dataLen() > Integer.MAX_VALUE) {
            throw new DocaException(
                    DocaError.TOO_BIG,
                    "a ByteBuffer cannot hold the data of " + this + "; use dataSegment()");
        }
        return dataSegment().asByteBuffer();
    }

    /// DCORE-BUF-14: only the head's references are managed.
    @Override
    void requireHead(String what) {
        if (inner) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "a buffer behind the head of its list cannot be " + what + "; take the head");
        }
    }

    /// Elements that a closed inventory has taken back stay in the list; they are passed over.
    ///
    /// DCORE-BUF-16: with the head's last reference all elements go back.
    @Override
    void giveBack() {
        for (Buf each = this; each != null; each = each.next) {
            if (each.isOut()) {
                each.requireReturnable();
            }
        }
        for (Buf each = this; each != null; ) {
            Buf following = each.next;
            if (each.isOut()) {
                each.leave();
            }
            each = following;
        }
    }

    void handOut(Mmap mmap, long head, long len, long data, long dataLen) {
        this.mmap = mmap;
        handOut(mmap.address(), head, len, data, dataLen);
        mmap.bufferMade();
    }

    private void requireReturnable() {
        if (inventory != null) {
            inventory.requireThread();
        } else if (!inner) {
            throw new DocaException(
                    DocaError.NOT_PERMITTED,
                    "an element of a buffer array keeps its last reference as long as the array"
                            + " runs");
        }
    }

    /// Elements behind it may be of another inventory: they get a new head, so that they can be
    /// released.
    @Override
    void takeBackFinally() {
        if (!isOut()) {
            return;
        }
        if (!inner) {
            Buf head = next;
            while (head != null && !head.isOut()) {
                head = head.next;
            }
            if (head != null) {
                head.inner = false;
                head.last = last;
            }
        }
        goBack();
    }

    /// Leaves the list, and goes back to the inventory if it came from one.
    private void leave() {
        next = null;
        last = this;
        inner = false;
        goBack();
    }

    private void goBack() {
        if (inventory != null) {
            Mmap pointedInto = mmap();
            mmap = null;
            takeBack();
            inventory.put(this);
            pointedInto.bufferReturned();
        }
    }
}
