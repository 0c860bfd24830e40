package dev.outboard.dpa.machine;

/// DPA-FXW-2: a registration of external memory: what a window needs to reach it. It is alive until
/// the host destroys it.
public final class ExternalKey {
    private final int number;
    private final ExternalRegion region;
    private final long address;
    private final long lengthBytes;
    private final Rights rights;
    private final int domain;
    private volatile boolean destroyed;

    ExternalKey(
            int number,
            ExternalRegion region,
            long offset,
            long lengthBytes,
            Rights rights,
            int domain) {
        this.domain = domain;
        this.number = number;
        this.region = region;
        this.address = region.address() + offset;
        this.lengthBytes = lengthBytes;
        this.rights = rights;
    }

    /// What a thread configures its window with.
    public int number() {
        return number;
    }

    /// The memory behind it.
    public ExternalRegion region() {
        return region;
    }

    /// The protection domain that it belongs to.
    public int domain() {
        return domain;
    }

    /// Whether the key has been destroyed.
    public boolean isDestroyed() {
        return destroyed;
    }

    /// Whether a window under this key reaches those bytes.
    public boolean allows(long address, int lengthBytes, boolean store) {
        long offset = address - this.address;
        return !destroyed
                && (store ? rights.writes() : rights.reads())
                && offset >= 0
                && offset <= this.lengthBytes - lengthBytes;
    }

    void destroy() {
        destroyed = true;
    }

    /// As in `key 0x1a00 (ring, 0x8000000000010000 to 0x8000000000010fff, READ)`.
    @Override
    public String toString() {
        return "key 0x%x (%s, 0x%x to 0x%x, %s%s)"
                .formatted(
                        number,
                        region.name(),
                        address,
                        address + lengthBytes - 1,
                        rights,
                        destroyed ? ", destroyed" : "");
    }
}
