/// What commands say to the person at the terminal: progress, and why something cannot be done.
package dev.outboard.console.terminal;
