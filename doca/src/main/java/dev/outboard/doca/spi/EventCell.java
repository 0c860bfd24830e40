package dev.outboard.doca.spi;

/// The value of a [dev.outboard.doca.sync.SyncEvent] from a start to the next stop, as the CPU
/// reaches it, and the handle of an [ExecutionEnvironment] for it. Any thread.
public interface EventCell {
    /// The value; whoever sees it sees what was written before it.
    long get();

    /// Sets the value; what was written before is seen with it.
    void set(long value);

    /// Adds modulo 2^64, in one step towards everybody who updates it.
    ///
    /// @return the value before
    long add(long addend);

    /// What programs of the environment know the event by.
    long handle();

    /// The CPU waits for another value: others who do not act by themselves, since their time is a
    /// virtual one, do so now.
    ///
    /// @return false if they have nothing to do, and the value stays as it is until this process
    ///   changes something
    /// @throws dev.outboard.doca.DocaException if so, and there is a reason to tell
    boolean goOn();

    /// Its programs know the event no more.
    ///
    /// @throws dev.outboard.doca.DocaException with IN_USE if one waits for it; nothing has changed
    void close();
}
