/// Who gives a device its turns. Every provider that is a machine of ours is driven from here, and
/// nobody above the fabric decides it once more.
package dev.outboard.fabric.drive;
