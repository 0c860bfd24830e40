/// The reliable-connection state machines: no socket, no clock, no thread.
package dev.outboard.fabric.roce.rc;
