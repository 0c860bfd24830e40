/// What device code in Java calls of FlexIO, beside its thread.
package dev.outboard.dpa.flexio.dev;
