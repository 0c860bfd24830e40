package dev.outboard.interop;

/// One of the ways from this machine to the guest: an address family and a path MTU.
enum Link {
    IPV4_1024(PathMtu.MTU_1024, "10.77.0.1", "10.77.0.2", 1),
    IPV4_4096(PathMtu.MTU_4096, "10.77.0.1", "10.77.0.2", 1),
    IPV6_1024(PathMtu.MTU_1024, "fd00:77::a4d:1", "fd00:77::a4d:2", 2),
    IPV6_4096(PathMtu.MTU_4096, "fd00:77::a4d:1", "fd00:77::a4d:2", 2);

    private final PathMtu mtu;
    private final String host;
    private final String guest;
    private final int gidIndex;

    Link(PathMtu mtu, String host, String guest, int gidIndex) {
        this.mtu = mtu;
        this.host = host;
        this.guest = guest;
        this.gidIndex = gidIndex;
    }

    /// Payload of one packet at most.
    PathMtu mtu() {
        return mtu;
    }

    /// The address of this machine's side.
    String host() {
        return host;
    }

    /// The address of the guest.
    String guest() {
        return guest;
    }

    /// The index of the guest's address in the address table of its device.
    int gidIndex() {
        return gidIndex;
    }
}
