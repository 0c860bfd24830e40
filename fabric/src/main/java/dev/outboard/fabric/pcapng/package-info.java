/// Captures in the pcapng format, written and read.
package dev.outboard.fabric.pcapng;
