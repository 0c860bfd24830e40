/// A program at scale to look at, to check and to measure: a key-value store on a DPA, served from
/// rings by eight threads, with the NIC and the host around them.
package dev.outboard.dpa.example;
