/// What runs a state machine, for clients and servers alike: its queue pair, the one thread that
/// may use it at a time, and the release of what it used.
package dev.outboard.naa.session;
