/// An accelerator node: the NAA server and the routines it runs.
package dev.outboard.node;
