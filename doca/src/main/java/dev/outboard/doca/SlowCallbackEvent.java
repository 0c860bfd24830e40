package dev.outboard.doca;

import java.util.function.Consumer;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/// For the flight recorder: a callback that held up its progress engine.
@Name("dev.outboard.doca.SlowCallback")
@Label("Slow Callback")
@Category({"Outboard", "DOCA"})
@Threshold("1 ms")
@StackTrace(false)
final class SlowCallbackEvent extends Event {
    @Label("Callback")
    String callback = "";

    @Label("Called With")
    String argument = "";

    /// Loaded when there is a flight recorder.
    private static final class Type {
        static final EventType TYPE = EventType.getEventType(SlowCallbackEvent.class);
    }

    /// Whether callbacks are to be timed. Allocates nothing.
    ///
    /// DJAVA-API-9: nothing is measured while nobody records.
    static boolean isOn() {
        return FlightRecorder.isInitialized() && Type.TYPE.isEnabled();
    }

    /// Runs a callback, and records it if it takes long.
    static <T> void run(Consumer<? super T> callback, T argument) {
        SlowCallbackEvent event = new SlowCallbackEvent();
        event.begin();
        try {
            callback.accept(argument);
        } finally {
            event.end();
            if (event.shouldCommit()) {
                event.callback = callback.getClass().getName();
                event.argument = argument.getClass().getSimpleName();
                event.commit();
            }
        }
    }
}
