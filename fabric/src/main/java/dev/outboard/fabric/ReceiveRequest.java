package dev.outboard.fabric;

/// A work request for the receive queue: where the next message goes. Reuse one object: setters
/// return `this`, [QueuePair#post(ReceiveRequest)] copies it. Not thread-safe.
public final class ReceiveRequest {
    private final GatherList scatter = new GatherList();
    private long id;

    /// Any value; it comes back in the completion. A receive without buffer.
    public ReceiveRequest() {}

    public ReceiveRequest id(long newId) {
        id = newId;
        return this;
    }

    /// Makes `length` bytes of `region` from `offset` the whole buffer.
    public ReceiveRequest buffer(MemoryRegion region, long offset, long length) {
        scatter.clear();
        scatter.add(region, offset, length);
        return this;
    }

    /// Adds a further piece behind the buffer so far.
    public ReceiveRequest appendBuffer(MemoryRegion region, long offset, long length) {
        scatter.add(region, offset, length);
        return this;
    }

    /// Makes it a placeholder without memory: enough for a WRITE with immediate, which touches no
    /// receive buffer.
    public ReceiveRequest noBuffer() {
        scatter.clear();
        return this;
    }

    public long id() {
        return id;
    }

    /// The pieces of the buffer.
    public GatherList scatter() {
        return scatter;
    }
}
