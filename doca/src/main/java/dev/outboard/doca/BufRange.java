package dev.outboard.doca;

/// A piece of memory with a data section in it: what [Buf] and [RemoteBuf] have in common. Offsets
/// count bytes from the start of the mmap.
///
/// ```text
///        head            data              tail
///  ──────┼───────────────┼─────────────────┼──────────────┼──────
///  mmap  │← len ─────────┼── dataLen ──────┼── tailLen ──→│
/// ```
///
/// A buffer comes from a [BufInventory] with one reference; when the last is released it goes back,
/// and each use of it throws BAD_STATE. The inventory hands the same object out again only after
/// [BufInventory#SPARE] others; a holder that may be later than that compares [#generation] with
/// what it was when the holder got the buffer.
///
/// DCORE-BUF-19: a buffer that went back to its inventory is refused with BAD_STATE.
///
/// One thread at a time; handing a buffer over in a task that is submitted and completes makes
/// changes visible. Nothing here allocates unless it fails.
public abstract sealed class BufRange permits Buf, RemoteBuf {
    static final int MAX_REFERENCES = 65535;

    private long base;
    private long head;
    private long len;
    private long data;
    private long dataLen;
    private int references;
    private int generation;

    BufRange() {}

    /// Where the buffer starts.
    public final long head() {
        requireOut();
        return head;
    }

    /// The bytes of the buffer.
    public final long len() {
        requireOut();
        return len;
    }

    /// Where the data section starts.
    public final long data() {
        requireOut();
        return data;
    }

    /// The bytes of the data section.
    public final long dataLen() {
        requireOut();
        return dataLen;
    }

    /// Where the tail starts: after the data section.
    public final long tail() {
        requireOut();
        return data + dataLen;
    }

    /// The bytes of the tail: from the end of the data section to the end of the buffer.
    public final long tailLen() {
        requireOut();
        return head + len - data - dataLen;
    }

    /// The address of [#head].
    public final long address() {
        return base + head();
    }

    /// The address of [#data].
    public final long dataAddress() {
        return base + data();
    }

    /// The address of [#tail].
    public final long tailAddress() {
        return base + tail();
    }

    /// Moves the data section.
    ///
    /// DCORE-BUF-1, DCORE-BUF-2: the data section lies in the buffer, or the call throws.
    ///
    /// @throws DocaException with INVALID_VALUE if it would not lie in the buffer
    public final void data(long offset, long length) {
        requireOut();
        if (!contains(head, len, offset, length)) {
            throw outside(offset, length);
        }
        data = offset;
        dataLen = length;
    }

    /// Gives the data section `length` bytes, where it is.
    ///
    /// @throws DocaException with INVALID_VALUE if it would not lie in the buffer
    public final void dataLen(long length) {
        data(data, length);
    }

    /// Empties the data section, where it is: all from there on is tail.
    ///
    /// DCORE-BUF-3: the data starts where it did.
    public final void resetDataLen() {
        requireOut();
        dataLen = 0;
    }

    /// One reference more.
    ///
    /// DCORE-BUF-15: 65535 references are TOO_BIG for one more.
    ///
    /// @return how many there were
    /// @throws DocaException with TOO_BIG at 65535, with NOT_PERMITTED in a list behind its head
    public final int retain() {
        requireOut();
        requireHead("retained");
        if (references == MAX_REFERENCES) {
            throw new DocaException(
                    DocaError.TOO_BIG,
                    this + " has " + references + " references, as many as can be");
        }
        return references++;
    }

    /// One reference less; with the last one the buffer, and the list it is the head of, go back to
    /// where they came from.
    ///
    /// @return how many there were
    /// @throws DocaException with BAD_STATE if it is back already, with NOT_PERMITTED in a list
    ///   behind its head
    public final int release() {
        requireOut();
        requireHead("released");
        if (references > 1) {
            return references--;
        }
        giveBack();
        return 1;
    }

    /// How many references there are.
    public final int refCount() {
        requireOut();
        return references;
    }

    /// Whether it is out: not back where it came from.
    public final boolean isOut() {
        return references > 0;
    }

    /// A number that changes when the buffer goes back to its inventory; of a buffer that is back,
    /// too.
    public final int generation() {
        return generation;
    }

    @Override
    public String toString() {
        return references == 0
                ? "buffer that is back in its inventory"
                : "buffer of %d bytes at offset %d with %d bytes of data at offset %d"
                        .formatted(len, head, dataLen, data);
    }

    /// Refuses a buffer whose references its list's head holds.
    abstract void requireHead(String what);

    /// The last reference is released.
    abstract void giveBack();

    /// Its inventory is closed and takes it back, if it is out, whoever holds it; it is never
    /// handed out again.
    abstract void takeBackFinally();

    final void handOut(long base, long head, long len, long data, long dataLen) {
        this.base = base;
        this.head = head;
        this.len = len;
        this.data = data;
        this.dataLen = dataLen;
        this.references = 1;
    }

    final void takeBack() {
        references = 0;
        generation++;
    }

    /// Where it started, of a buffer that is on its way back, too.
    final long lastHead() {
        return head;
    }

    /// DFLT-51: whoever uses a buffer that is back gets BAD_STATE.
    final void requireOut() {
        if (references == 0) {
            throw new DocaException(
                    DocaError.BAD_STATE, "the buffer is back in its inventory: get a new one");
        }
    }

    /// Whether `length` bytes from `offset` on lie in `len` bytes from `head` on; no overflow for
    /// any values if these two are in order.
    ///
    /// DJAVA-MEM-5: 64-bit sizes and offsets, without overflow.
    static boolean contains(long head, long len, long offset, long length) {
        return offset >= head && length >= 0 && length <= len && offset - head <= len - length;
    }

    private DocaException outside(long offset, long length) {
        return new DocaException(
                DocaError.INVALID_VALUE,
                "a data section of %d bytes at offset %d does not lie in the %s"
                        .formatted(length, offset, this));
    }
}
