package dev.outboard.fabric.roce;

import dev.outboard.fabric.roce.io.Capture;
import dev.outboard.fabric.roce.io.FaultInjector;
import dev.outboard.fabric.roce.io.Faults;
import dev.outboard.fabric.roce.io.FrameSink;
import dev.outboard.fabric.roce.io.Receiver;
import dev.outboard.fabric.roce.io.Transmitter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// What packets pass through besides the socket: a capture next to the wire, and faults between it
/// and the protocols.
final class Taps implements AutoCloseable {
    private final @Nullable Capture capture;
    private final @Nullable Faults faults;

    private Taps(@Nullable Capture capture, @Nullable Faults faults) {
        this.capture = capture;
        this.faults = faults;
    }

    /// The taps that `options` ask for.
    ///
    /// @param device what a capture calls the device
    static Taps of(String device, RoceOptions options) {
        Path file = options.capture();
        return new Taps(
                file == null ? null : Capture.open(file, device, InstantSource.system()),
                options.faults());
    }

    void attach(Transmitter transmitter, Receiver receiver) {
        if (capture == null && faults == null) {
            return;
        }
        SplittableRandom random = new SplittableRandom(faults == null ? 0 : faults.seed());
        transmitter.tap(sending ->
                faulty(random.split(), capture == null ? sending : capture.outbound(sending)));
        receiver.tap(delivering -> {
            FrameSink inwards = faulty(random.split(), delivering);
            return capture == null ? inwards : capture.inbound(inwards);
        });
    }

    @Override
    public void close() {
        if (capture != null) {
            capture.close();
        }
    }

    private FrameSink faulty(SplittableRandom random, FrameSink next) {
        return faults == null ? next : new FaultInjector(faults, random, next);
    }
}
