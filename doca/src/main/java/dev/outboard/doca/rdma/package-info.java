/// DOCA RDMA: the context, its connections, and the tasks on them.
package dev.outboard.doca.rdma;
