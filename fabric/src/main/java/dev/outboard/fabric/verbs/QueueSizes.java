package dev.outboard.fabric.verbs;

/// How much the work queues of a queue pair hold.
///
/// @param sends send requests outstanding
/// @param receives receive requests outstanding
/// @param pieces memory pieces of a request
/// @param inlineBytes payload of an inline request
public record QueueSizes(int sends, int receives, int pieces, int inlineBytes) {}
