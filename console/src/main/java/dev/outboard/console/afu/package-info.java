/// `outboard afu`: accelerator functions behind a CCI-P port.
package dev.outboard.console.afu;
