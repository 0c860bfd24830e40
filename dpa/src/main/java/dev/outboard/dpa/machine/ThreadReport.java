package dev.outboard.dpa.machine;

/// What a thread of a process is doing, and has done.
///
/// @param kind what activates it
/// @param activations how many have begun
public record ThreadReport(ThreadStatus status, ThreadAttributes.Kind kind, long activations) {}
