/// A process of the DPA, from its set-up to what is left of it.
package dev.outboard.dpa.process;
