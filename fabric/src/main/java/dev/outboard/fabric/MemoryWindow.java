package dev.outboard.fabric;

/// A remote key of its own for a part of a memory region, given and taken back by work requests
/// ([SendRequest#bind], [SendRequest#localInvalidate]) while the region stays registered (the
/// verbs' `ibv_mw`; InfiniBand Architecture, volume 1, section 10.6.7).
///
/// May be read from any thread. [#close] takes the key back and releases the window.
public interface MemoryWindow extends AutoCloseable {
    /// How a window is bound and who may use it. The ordinal plus 1 is the verbs' number.
    enum Type {
        /// Serves every queue pair of its protection domain. Binding it again ends what it was
        /// bound to before; binding it to 0 bytes unbinds it.
        TYPE_1,
        /// Type 2B: serves the queue pair that bound it. Must be invalidated, here or by the peer,
        /// before it is bound again.
        TYPE_2B
    }

    Type type();

    /// The key that a peer must present. Binding changes its low eight bits; the key of a window
    /// that is not bound opens nothing.
    int remoteKey();

    /// Releases the window. Closing twice is harmless. Operations of peers that are under way end
    /// with a remote access error.
    @Override
    void close();
}
