/// The words of the NAA RPC protocol (`spec/naaice.md`) that a host program and an accelerator
/// share: regions, states, return codes and failures. A program that offloads a computation begins
/// with [NaaClient][dev.outboard.naa.client.NaaClient], one that serves it with
/// [NaaServer][dev.outboard.naa.server.NaaServer] and [Routine][dev.outboard.naa.server.Routine].
/// `docs/protocol/naaice.md` tells how the protocol is read here.
package dev.outboard.naa;
