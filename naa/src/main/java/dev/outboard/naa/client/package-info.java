/// The host program's side: [NaaClient] is one session with an accelerator, [NaaPool] keeps many,
/// [NaaSession] is one for programs that find their accelerator in the environment.
package dev.outboard.naa.client;
