package dev.outboard.interop;

/// The two payload sizes of a packet that matter: that of ordinary Ethernet, and the largest.
enum PathMtu {
    MTU_1024(1024, 1500),
    MTU_4096(4096, 4200);

    private final int bytes;
    private final int interfaceMtu;

    PathMtu(int bytes, int interfaceMtu) {
        this.bytes = bytes;
        this.interfaceMtu = interfaceMtu;
    }

    /// Payload of one packet at most.
    int bytes() {
        return bytes;
    }

    /// The MTU that interfaces need for it.
    int interfaceMtu() {
        return interfaceMtu;
    }
}
