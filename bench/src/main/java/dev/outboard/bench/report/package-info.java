/// Where something was measured, and sizes, times, rates and tables as people read and write them.
package dev.outboard.bench.report;
