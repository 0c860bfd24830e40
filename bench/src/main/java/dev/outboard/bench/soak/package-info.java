/// Hours of RPCs with lost packets and clients that vanish, every byte looked at.
package dev.outboard.bench.soak;
