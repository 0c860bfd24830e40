/// The NAA RPC protocol (`spec/naaice.md`): a client that offloads a computation to a
/// network-attached accelerator, and the software accelerator that serves it. Begin with
/// [NaaClient], or with [NaaServer] and [Routine]. `docs/protocol/naaice.md` tells how the protocol
/// is read here.
package dev.outboard.naa;
