package dev.outboard.naa;

import dev.outboard.fabric.Device;
import java.util.Map;
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
        server = new ServerUnderTest(serverDevice, clientDevice, options, Map.of(CUSTOM, custom));
        return server;
    }
}
