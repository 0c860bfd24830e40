/// What links the state machine of either end of a session to the fabric: its queue pair, the one
/// thread that may use it at a time, and the release of what it used.
package dev.outboard.naa.link;
