/// The device functions of DOCA DPA.
package dev.outboard.dpa.doca.dev;
