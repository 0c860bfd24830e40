/// Provider `sim://`: whole devices on a seeded network in a time of their own, made of the same
/// machines as the live ones.
package dev.outboard.fabric.sim;
