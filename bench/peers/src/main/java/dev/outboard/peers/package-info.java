/// What Outboard is measured against, as programs of their own: floors that do the same work
/// without a protocol, and peers that run on the JVM.
@NullMarked
package dev.outboard.peers;

import org.jspecify.annotations.NullMarked;
