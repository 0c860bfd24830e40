package dev.outboard.dpa.machine;

/// How a thread is made.
///
/// @param argument what [DpaThread#argument] gives
/// @param localStorage what [DpaThread#localStorage] gives: an address of DPA memory, or 0
/// @param handler whether it waits for events; otherwise it is activated once when the run begins
public record ThreadAttributes(
        long argument, long localStorage, Affinity affinity, boolean handler) {

    /// Runs once, on any unit.
    public static final ThreadAttributes DEFAULT = new ThreadAttributes(0, 0, Affinity.ANY, false);

    /// An event handler on any unit.
    public static final ThreadAttributes HANDLER = new ThreadAttributes(0, 0, Affinity.ANY, true);

    /// With another argument.
    public ThreadAttributes withArgument(long argument) {
        return new ThreadAttributes(argument, localStorage, affinity, handler);
    }

    /// With other local storage.
    public ThreadAttributes withLocalStorage(long localStorage) {
        return new ThreadAttributes(argument, localStorage, affinity, handler);
    }

    /// With another affinity.
    public ThreadAttributes withAffinity(Affinity affinity) {
        return new ThreadAttributes(argument, localStorage, affinity, handler);
    }
}
