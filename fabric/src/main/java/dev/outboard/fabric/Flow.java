package dev.outboard.fabric;

/// A steering rule of a device (the verbs' `ibv_flow`): frames that match go to one queue pair. Any
/// thread. Closing it, its queue pair or the device ends it; closing it twice is harmless.
public interface Flow extends AutoCloseable {
    /// Which frames it steers.
    FlowMatch match();

    @Override
    void close();
}
