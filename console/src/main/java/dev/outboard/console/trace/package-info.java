/// `outboard trace`: traces of what happened, for Perfetto.
package dev.outboard.console.trace;
