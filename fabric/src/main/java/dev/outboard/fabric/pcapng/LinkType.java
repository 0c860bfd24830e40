package dev.outboard.fabric.pcapng;

/// What the packets of an interface start with: those numbers of the registry of link types that
/// occur here.
public enum LinkType {
    /// The address family in the byte order of the machine that captured, then an IP header: the
    /// loopback interface of BSD and macOS.
    NULL_LOOPBACK(0),
    /// An Ethernet header; no frame check sequence at the end.
    ETHERNET(1),
    /// An IPv4 or IPv6 header.
    RAW_IP(101),
    /// The address family, its first byte the most significant, then an IP header.
    LOOPBACK(108),
    /// What Linux puts before packets of interface `any`: 16 bytes.
    LINUX_COOKED(113),
    /// An IPv4 header.
    IPV4(228),
    /// An IPv6 header.
    IPV6(229),
    /// What Linux puts before packets of interface `any`, in its second form: 20 bytes.
    LINUX_COOKED_2(276);

    private final int number;

    LinkType(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
