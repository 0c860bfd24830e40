/// Litmus tests of the memory ordering of CCI-P: small programs of an AFU and of processor threads,
/// which outcomes they may have, and which they have. [dev.outboard.ccip.litmus.Scenario#all] has
/// the programs, [dev.outboard.ccip.litmus.Litmus] runs them.
package dev.outboard.ccip.litmus;
