/// Where the routines of a node run: on its processors, in a process apart, on the data-path
/// accelerator, or in a function of an FPGA.
package dev.outboard.node.offload;
