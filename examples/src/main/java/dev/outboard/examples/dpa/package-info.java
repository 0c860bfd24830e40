/// Programs of a DPA in Java.
package dev.outboard.examples.dpa;
