/// What DOCA tasks cost over the verbs.
package dev.outboard.bench.doca;
