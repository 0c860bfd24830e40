package dev.outboard.ccip.checker;

/// Where at the port something was seen.
public enum Channel {
    TX_C0("Tx C0"),
    TX_C1("Tx C1"),
    TX_C2("Tx C2"),
    RX_C0("Rx C0"),
    RX_C1("Rx C1"),
    /// The port as a whole: reset, power, the run.
    PORT("port"),
    /// The FPGA cache of an integrated platform.
    CACHE("cache"),
    /// The host side.
    HOST("host");

    private final String text;

    Channel(String text) {
        this.text = text;
    }

    /// As the manual writes it.
    @Override
    public String toString() {
        return text;
    }
}
