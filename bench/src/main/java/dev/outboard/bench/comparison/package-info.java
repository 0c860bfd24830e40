/// Several contenders for the same work, measured in turns.
package dev.outboard.bench.comparison;
