/// The protocol itself, free of sockets, threads and clocks: messages as bytes, and a state machine
/// for either end of a session.
package dev.outboard.naa.protocol;
