/// Measurements of Outboard and its peers in one run.
package dev.outboard.bench;
