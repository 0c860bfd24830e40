package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.naa.server.Routine;
import dev.outboard.naa.server.RpcContext;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// A routine that holds every call until the test lets it go on. Any thread.
final class HeldRoutine implements Routine {
    private final CountDownLatch called = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final Routine then;

    HeldRoutine() {
        this(_ -> ReturnCode.SUCCESS);
    }

    /// @param then what a call does once it is released
    HeldRoutine(Routine then) {
        this.then = then;
    }

    @Override
    public int run(RpcContext context) throws Exception {
        called.countDown();
        released.await();
        return then.run(context);
    }

    /// Waits for the first call.
    void awaitCall() {
        try {
            assertThat(called.await(30, TimeUnit.SECONDS)).as("called").isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /// Lets the calls that are held go on, and holds no other.
    void release() {
        released.countDown();
    }
}
