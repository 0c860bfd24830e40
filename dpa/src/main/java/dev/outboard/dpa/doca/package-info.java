/// DOCA DPA: kernels of the DPA that the host launches and events order, on top of FlexIO.
package dev.outboard.dpa.doca;
