package dev.outboard.doca.rdma;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;

/// For the flight recorder: tasks can be submitted to a connection from now on.
@Name("dev.outboard.doca.Connect")
@Label("Connected")
@Category({"Outboard", "DOCA"})
final class ConnectEvent extends Event {
    @Label("Connection")
    String connection = "";

    @Label("Queue Pair")
    int queuePair;

    static void record(RdmaConnection connection) {
        if (FlightRecorder.isInitialized()) {
            ConnectEvent event = new ConnectEvent();
            event.connection = connection.toString();
            event.queuePair = connection.queuePairNumber();
            event.commit();
        }
    }
}
