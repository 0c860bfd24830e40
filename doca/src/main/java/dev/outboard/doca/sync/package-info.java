/// Sync events: 64-bit counters that CPUs and peers set, add to and wait for.
package dev.outboard.doca.sync;
