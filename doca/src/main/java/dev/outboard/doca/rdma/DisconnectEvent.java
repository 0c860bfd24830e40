package dev.outboard.doca.rdma;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;

/// For the flight recorder: a connection has ended, for whatever reason.
@Name("dev.outboard.doca.Disconnect")
@Label("Disconnected")
@Category({"Outboard", "DOCA"})
final class DisconnectEvent extends Event {
    @Label("Connection")
    String connection = "";

    @Label("Queue Pair")
    int queuePair;

    static void record(RdmaConnection connection) {
        if (FlightRecorder.isInitialized()) {
            DisconnectEvent event = new DisconnectEvent();
            event.connection = connection.toString();
            event.queuePair = connection.queuePairNumber();
            event.commit();
        }
    }
}
