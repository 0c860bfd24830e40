/// UDP sockets through the foreign-function interface, and what moves packets between them and the
/// protocols: the only package that calls the C library, and the only one that waits.
package dev.outboard.fabric.roce.io;
