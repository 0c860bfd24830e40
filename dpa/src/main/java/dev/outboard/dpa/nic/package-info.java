/// The NIC of a DPA in software: completion queues that activate handlers, queue pairs, memory
/// keys, and the engine that serves them in a run of any mode but EXPLORE.
package dev.outboard.dpa.nic;
