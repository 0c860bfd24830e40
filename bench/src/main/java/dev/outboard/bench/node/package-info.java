/// `outboard bench node`: what a call costs on each target of a node.
package dev.outboard.bench.node;
