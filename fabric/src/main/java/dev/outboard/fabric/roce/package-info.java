/// A RoCEv2 device in software: the engine, who drives it, and the verbs on top of the protocol
/// machines.
package dev.outboard.fabric.roce;
