/// Hours of RPCs with lost packets and clients that vanish, and of DOCA tasks of many threads,
/// every byte or number looked at.
package dev.outboard.bench.soak;
