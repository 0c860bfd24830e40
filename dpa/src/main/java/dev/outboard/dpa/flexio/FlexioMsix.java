package dev.outboard.dpa.flexio;

import dev.outboard.dpa.nic.CompletionQueue;
import java.time.Duration;

/// DPA-FXQ-2c: an interrupt vector (MSI-X) of the host. A completion queue with one interrupts the
/// host whenever it has an entry for it and is armed, as that of an emulated device does; so does
/// an event queue.
///
/// ```java
/// FlexioMsix vector = FlexioMsix.create(process);
/// FlexioCq.create(process, Attributes.of(ring, 4, record).with(Arming.ALWAYS).interrupting(vector));
/// boolean interrupted = vector.await(Duration.ofSeconds(1));
/// ```
public final class FlexioMsix extends FlexioCq.Element {
    private FlexioMsix(FlexioProcess process) {
        super(process, "MSI-X vector", process.device().nextNumber());
    }

    /// Makes a vector.
    ///
    /// @throws FlexioException if the process has ended
    public static FlexioMsix create(FlexioProcess process) {
        process.check();
        process.checkNoFault();
        return process.adopt(new FlexioMsix(process));
    }

    /// Waits for the next interrupt. None is lost or merged with another one: those that have come
    /// while nobody waited are there at once.
    ///
    /// @param atMost in turns a time of the machine
    /// @return whether there was one
    /// @throws FlexioException if the vector has been closed, or the process has ended
    public boolean await(Duration atMost) {
        process().check();
        process().checkNoFault();
        return process().process().awaitInterrupt(numberFor(process()), atMost);
    }

    @Override
    CompletionQueue.Element made() {
        return new CompletionQueue.Element.Interrupt(ownNumber());
    }

    @Override
    void destroy() {
        // Nothing has it any more.
    }
}
