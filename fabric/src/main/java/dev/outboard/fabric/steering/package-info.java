/// Raw Ethernet frames on their way from a port to a queue.
package dev.outboard.fabric.steering;
