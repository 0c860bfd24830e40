/// System calls of Linux and the structures they take, through `java.lang.foreign`; the kernel's
/// objects that the rest of the fabric holds: descriptors, events, mappings.
@org.jspecify.annotations.NullMarked
package dev.outboard.fabric.linux;
