/// `outboard explain`: what a capture or the text of an error means, and what to look at next.
package dev.outboard.console.explain;
