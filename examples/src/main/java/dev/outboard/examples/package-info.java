/// The command that runs the examples.
package dev.outboard.examples;
