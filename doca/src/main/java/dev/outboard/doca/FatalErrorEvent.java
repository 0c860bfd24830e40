package dev.outboard.doca;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;

/// For the flight recorder: a context stops though nobody asked for it.
@Name("dev.outboard.doca.FatalError")
@Label("Fatal Error")
@Category({"Outboard", "DOCA"})
final class FatalErrorEvent extends Event {
    @Label("Context")
    String context = "";

    @Label("Cause")
    String cause = "";

    static void record(Ctx ctx, FailureCause cause) {
        if (FlightRecorder.isInitialized()) {
            FatalErrorEvent event = new FatalErrorEvent();
            event.context = ctx.toString();
            event.cause = cause.toString();
            event.commit();
        }
    }
}
