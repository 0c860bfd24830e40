/// The half of a software network card that no wire format enters: work queues and completion
/// queues, between the threads that post and poll and the thread that drives the device, and the
/// states of a queue pair.
package dev.outboard.fabric.verbs;
