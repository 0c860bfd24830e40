/// The connection manager's datagrams and state machines: no socket, no clock, no thread.
package dev.outboard.fabric.roce.cm;
