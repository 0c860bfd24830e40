package dev.outboard.fabric.roce.transport;

import dev.outboard.fabric.roce.wire.Path;

/// What a packet sink asks and tells the card it sends for, from inside `finish` and `flush`. So
/// whoever is told takes note and acts when the call has returned.
public interface TransmitListener {
    /// Lets packets share a `sendmsg`, and takes no note.
    TransmitListener INDIFFERENT =
            new TransmitListener() {
                @Override
                public boolean maySegment(Path path) {
                    return true;
                }

                @Override
                public void tooLong(Path path) {}

                @Override
                public void unreadable(Path path) {}
            };

    /// Whether packets on `path` may share a `sendmsg`. Asked when a second packet could join the
    /// first.
    boolean maySegment(Path path);

    /// A packet on `path` exceeds the IP path's MTU. It was dropped, not fragmented.
    void tooLong(Path path);

    /// The payload of the packet that was just finished cannot be read, because somebody closed its
    /// arena. The packet was dropped.
    void unreadable(Path path);
}
