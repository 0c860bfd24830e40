/// What the transports of RoCEv2 have in common: how a queue pair of any of them is driven, and how
/// packets become completions.
package dev.outboard.fabric.roce.transport;
