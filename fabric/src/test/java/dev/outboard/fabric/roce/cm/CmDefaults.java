package dev.outboard.fabric.roce.cm;

import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.PathMtu;

/// What the connection manager starts with, for the table of defaults.
public final class CmDefaults {
    public static final int ACK_DELAY = NegotiatedAttributes.ACK_DELAY;
    public static final int SERVICE_TIMEOUT = PassiveMachine.SERVICE_TIMEOUT;

    private CmDefaults() {}

    /// What is proposed with packets of that lifetime.
    public static int ackTimeout(int packetLifetime) {
        return configuration().withPacketLifetime(packetLifetime).ackTimeout();
    }

    public static CmConfiguration configuration() {
        return CmConfiguration.of(1, Gid.ofIpv4(0x7F00_0001), PathMtu.MTU_1024);
    }
}
