/// The outboard command.
package dev.outboard.console;
