/// Where gdb connects to.
package dev.outboard.dpa.debug.io;
