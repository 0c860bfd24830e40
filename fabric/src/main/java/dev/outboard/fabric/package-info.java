/// The verbs: device, protection domain, memory region, queue pair, completion queue, and
/// connection management.
package dev.outboard.fabric;
