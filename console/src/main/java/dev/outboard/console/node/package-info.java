/// The description of an accelerator node as a file: its keys, reading and checking it, and
/// `outboard node`.
package dev.outboard.console.node;
