/// Memory keys: what a peer may touch, and what local requests name (roce.md 3.11).
package dev.outboard.fabric.roce.memory;
