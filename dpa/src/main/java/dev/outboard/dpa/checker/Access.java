package dev.outboard.dpa.checker;

import dev.outboard.dpa.checker.ShadowMemory.Page;

/// The access that is looked at: one object, filled anew for each, so that none is allocated.
final class Access {
    ActorState by;
    Page page;
    long address;

    /// The bytes of the granule.
    int mask;

    /// The [AddressKind] of the address.
    int kind;

    int site;

    /// Whether the word is polled, or is there to be a sign: then nothing has to order it behind
    /// another sign.
    boolean sign;

    Access(ActorState by, Page page) {
        this.by = by;
        this.page = page;
    }

    void set(ActorState by, Page page, long address, int mask, int kind, int site) {
        this.by = by;
        this.page = page;
        this.address = address;
        this.mask = mask;
        this.kind = kind;
        this.site = site;
        sign = false;
    }
}
