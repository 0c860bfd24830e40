/// A userspace RoCEv2 provider over ordinary UDP sockets.
package dev.outboard.fabric.roce;
