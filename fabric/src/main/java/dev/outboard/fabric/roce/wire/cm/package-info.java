/// The messages of the communication manager: bytes to fields and back.
@org.jspecify.annotations.NullMarked
package dev.outboard.fabric.roce.wire.cm;
