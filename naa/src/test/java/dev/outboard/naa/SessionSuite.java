package dev.outboard.naa;

import dev.outboard.fabric.Device;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.naa.client.NaaClientBuilder;
import dev.outboard.naa.server.Routine;
import dev.outboard.naa.server.RoutineSpec;
import dev.outboard.naa.server.ServerOptions;
import dev.outboard.naa.server.ServerUnderTest;
import dev.outboard.testkit.Eventually;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/// What suites of whole sessions have in common: a device for each side and a server.
abstract class SessionSuite {
    static final int CUSTOM = 42;

    Device serverDevice;
    Device clientDevice;
    ServerUnderTest server;

    /// Opens a device that reaches the others of this suite.
    abstract Device open();

    /// A device that speaks RoCEv2 on loopback.
    static Device roce() {
        return RoceLoopback.open();
    }

    @BeforeEach
    void openDevices() {
        serverDevice = open();
        clientDevice = open();
    }

    @AfterEach
    void closeDevices() {
        if (server != null) {
            server.close();
        }
        clientDevice.close();
        serverDevice.close();
    }

    ServerUnderTest serve(ServerOptions.Builder options) {
        return serve(options, _ -> ReturnCode.SUCCESS);
    }

    /// Serves `custom` as function [#CUSTOM].
    ServerUnderTest serve(ServerOptions.Builder options, Routine custom) {
        return serve(options, RoutineSpec.of(CUSTOM, "custom", custom));
    }

    ServerUnderTest serve(ServerOptions.Builder options, RoutineSpec... routines) {
        server = new ServerUnderTest(serverDevice, clientDevice, options, routines);
        return server;
    }

    /// A client of the server with one region.
    NaaClientBuilder client(long bytes) {
        return server.client().region(RegionSpec.inputOutput(server.memory(bytes, 0)));
    }

    void awaitNoConnections() {
        Eventually.until(() -> server.server.counters().get("connections.open") == 0);
        Eventually.until(() -> server.server.connections().isEmpty());
    }
}
