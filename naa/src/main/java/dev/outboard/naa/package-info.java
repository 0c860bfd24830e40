/// The NAA RPC protocol: client and software server.
package dev.outboard.naa;
