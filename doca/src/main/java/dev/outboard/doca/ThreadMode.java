package dev.outboard.doca;

/// Which threads may use a progress engine, its contexts and their tasks (catalog DCORE-THR).
public enum ThreadMode {
    /// One thread: the first that progresses or submits; any other is refused at once. Costs no
    /// lock.
    CONFINED,
    /// Any thread may allocate, submit, free, stop and ask; one at a time may progress. Tasks that
    /// one thread submits to one connection keep their order.
    SHARED
}
