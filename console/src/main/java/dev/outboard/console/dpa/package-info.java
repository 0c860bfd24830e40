/// `outboard dpa`: the memory of a data-path accelerator, explored and checked.
package dev.outboard.console.dpa;
