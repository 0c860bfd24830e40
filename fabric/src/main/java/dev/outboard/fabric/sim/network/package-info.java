/// What lies between simulated devices: datagrams, and what happens to them on the way.
package dev.outboard.fabric.sim.network;
