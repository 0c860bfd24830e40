/// The unreliable-datagram state machine: no socket, no clock, no thread.
package dev.outboard.fabric.roce.ud;
