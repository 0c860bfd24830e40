/// DOCA RDMA as it was in 2023: jobs, submitted to a work queue and retrieved from it. It adapts
/// the tasks of [dev.outboard.doca.rdma], which are what new programs use; peers of either kind
/// understand each other.
package dev.outboard.doca.jobs;
