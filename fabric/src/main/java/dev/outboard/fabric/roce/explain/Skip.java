package dev.outboard.fabric.roce.explain;

/// Why a packet of a capture was not looked at.
enum Skip {
    OTHER_LINK_TYPE("on interfaces of a link type that is not read"),
    NOT_ROCE("of something else than RoCEv2 (UDP port 4791)"),
    FRAGMENT("in fragments of IP packets, which RoCE never sends"),
    CUT_SHORT("captured without all their headers: capture more of each packet (tcpdump -s 0)"),
    /// Cards and loopback interfaces cut them into packets after the capture has seen them.
    UNSEGMENTED(
            "longer than any RoCE packet, captured before they were segmented:"
                    + " ethtool -K DEV tx-udp-segmentation off before the capture"),
    OTHER_TRANSPORT("of a transport that is not explained (UC, RD, XRC), or malformed"),
    WRONG_CHECKSUM("with a wrong checksum (ICRC)");

    private final String text;

    Skip(String text) {
        this.text = text;
    }

    /// What these packets are, after their number.
    String text() {
        return text;
    }
}
