package dev.outboard.dpa.machine;

/// How a thread is made.
///
/// @param argument what [DpaThread#argument] gives
/// @param localStorage what [DpaThread#localStorage] gives: an address of DPA memory, or 0
/// @param kind what activates it
public record ThreadAttributes(long argument, long localStorage, Affinity affinity, Kind kind) {

    /// Runs once, on any unit.
    public static final ThreadAttributes DEFAULT =
            new ThreadAttributes(0, 0, Affinity.ANY, Kind.ONCE);

    /// An event handler on any unit.
    public static final ThreadAttributes HANDLER =
            new ThreadAttributes(0, 0, Affinity.ANY, Kind.HANDLER);

    /// Serves calls of the host on any unit.
    public static final ThreadAttributes RPC = new ThreadAttributes(0, 0, Affinity.ANY, Kind.RPC);

    /// What activates a thread.
    public enum Kind {
        /// It is activated once when the run begins, or when it is enabled.
        ONCE,
        /// DPA-FXE-1: events activate it, each time from its beginning.
        HANDLER,
        /// DPA-FXR-1: calls of the host activate it. It has to return.
        RPC
    }

    /// With another argument.
    public ThreadAttributes withArgument(long argument) {
        return new ThreadAttributes(argument, localStorage, affinity, kind);
    }

    /// With other local storage.
    public ThreadAttributes withLocalStorage(long localStorage) {
        return new ThreadAttributes(argument, localStorage, affinity, kind);
    }

    /// With another affinity.
    public ThreadAttributes withAffinity(Affinity affinity) {
        return new ThreadAttributes(argument, localStorage, affinity, kind);
    }
}
