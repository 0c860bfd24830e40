/// The software network card without socket, clock and thread: packets in, packets and completions
/// out, in turns. The live device and the simulated one run the same machine.
package dev.outboard.fabric.roce.nic;
