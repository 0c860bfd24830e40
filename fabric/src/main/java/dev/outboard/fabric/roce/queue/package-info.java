/// Work queues and completion queues, between the threads that post and poll and the thread that
/// drives the device.
package dev.outboard.fabric.roce.queue;
