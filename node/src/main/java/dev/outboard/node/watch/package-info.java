/// What a node tells of its RPCs while it serves: traces, slow calls, events of the flight
/// recorder.
package dev.outboard.node.watch;
