/// Device programs in C: what compiles and links them, with the headers and the runtime that they
/// are built with.
package dev.outboard.dpa.cc;
