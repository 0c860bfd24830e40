/// Raw Ethernet: queue pairs whose messages are whole frames.
package dev.outboard.fabric.roce.raw;
