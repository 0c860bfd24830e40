/// The connection manager's state machines: no socket, no clock, no thread. Its messages are those
/// of `wire.cm`.
package dev.outboard.fabric.roce.cm;
