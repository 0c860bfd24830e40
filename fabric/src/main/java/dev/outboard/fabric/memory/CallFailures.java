package dev.outboard.fabric.memory;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLong;

/// How often the application failed when it was called inside a turn. The first time is logged.
public final class CallFailures {
    private static final Logger LOGGER = System.getLogger(CallFailures.class.getName());

    private final String what;
    private final AtomicLong count = new AtomicLong();

    /// None yet.
    ///
    /// @param what is called, in words
    public CallFailures(String what) {
        this.what = what;
    }

    /// It has failed once more.
    public void add(Throwable failure) {
        if (count.getAndIncrement() == 0) {
            LOGGER.log(Level.ERROR, what + " failed; further times are counted", failure);
        }
    }

    /// How often it has.
    public long count() {
        return count.get();
    }
}
