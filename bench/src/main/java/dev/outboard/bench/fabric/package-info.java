/// `outboard bench fabric`: the RoCEv2 stack next to floors and peers, interleaved in one run.
package dev.outboard.bench.fabric;
