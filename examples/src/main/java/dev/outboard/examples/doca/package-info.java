/// DOCA RDMA, one program per file; `examples/README.md` runs them.
package dev.outboard.examples.doca;
