/// Memory of the application as a network card sees it: what a peer may touch and what local
/// requests name (roce.md 3.11), whatever the provider.
package dev.outboard.fabric.memory;
