/// The CCI-P platform next to the simplest thing that moves as many lines.
package dev.outboard.bench.ccip;
