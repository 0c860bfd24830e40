package dev.outboard.fabric.roce.nic;

import dev.outboard.fabric.roce.cm.Resolution;
import dev.outboard.fabric.roce.cm.ResolutionEvent;

/// The application's end of a datagram service, or its listener, as [GeneralServices] knows it.
/// Called while driving.
public interface DatagramEnd {
    /// The end for a request that this listener received.
    DatagramEnd requested(Resolution request);

    /// Something happened to the request.
    void deliver(ResolutionEvent event);
}
