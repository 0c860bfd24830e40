/// `outboard afu`: accelerator functions behind a CCI-P port, from SystemVerilog or in Java.
package dev.outboard.console.afu;
