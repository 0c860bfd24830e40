/// UDP sockets, and what moves packets between them and the protocols: the only package that waits.
package dev.outboard.fabric.roce.io;
