/// The host program's side: [NaaClient] for one session with an accelerator, [NaaPool] for many,
/// [NaaSession] for programs that find their accelerator in the environment.
package dev.outboard.naa.client;
