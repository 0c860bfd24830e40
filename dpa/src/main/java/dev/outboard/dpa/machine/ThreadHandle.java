package dev.outboard.dpa.machine;

/// A thread of a process, as its host knows it.
///
/// @param actor its number among all actors, as an [Observer] knows it
/// @param number its number among the threads of the process
public record ThreadHandle(int actor, int number, String name) {}
