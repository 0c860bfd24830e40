/// The container that exported descriptors travel in.
package dev.outboard.doca.blob;
