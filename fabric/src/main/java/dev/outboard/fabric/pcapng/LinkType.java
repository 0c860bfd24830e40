package dev.outboard.fabric.pcapng;

/// What the packets of an interface start with: those numbers of the registry of link types that
/// occur here.
public enum LinkType {
    /// An Ethernet header; no frame check sequence at the end.
    ETHERNET(1),
    /// An IPv4 or IPv6 header.
    RAW_IP(101);

    private final int number;

    LinkType(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
