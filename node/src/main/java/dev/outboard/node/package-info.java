/// An accelerator node: the NAA server, the routines it runs, and what it tells of itself.
package dev.outboard.node;
