/// UDP sockets through the foreign-function interface, and the engine that moves packets.
package dev.outboard.fabric.roce.io;
