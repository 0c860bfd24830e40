/// The bytes that device code and NIC share: entries of queues and doorbell records, read and
/// written through the memory that each of them sees. Nothing here allocates, and nothing fences.
package dev.outboard.dpa.nic.layout;
