/// `outboard dpacc`: builds programs in C for the DPA, and looks into what it has built.
package dev.outboard.console.dpacc;
