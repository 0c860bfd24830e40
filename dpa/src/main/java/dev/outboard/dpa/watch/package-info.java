/// A socket by which commands of the same user look at the processes of the DPA that a virtual
/// machine of Java has.
package dev.outboard.dpa.watch;
