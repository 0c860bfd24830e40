/// The NAA RPC protocol (`spec/naaice.md`): a client that offloads a computation to a
/// network-attached accelerator, and the software accelerator that serves it. Begin with [Routine].
package dev.outboard.naa;
