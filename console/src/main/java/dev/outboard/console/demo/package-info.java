/// The demonstration: an image, an accelerator node in a process of its own, and the edges it
/// finds.
package dev.outboard.console.demo;
