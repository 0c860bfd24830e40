/// What takes objects of DOCA beside the CPU: a data-path accelerator or a GPU.
package dev.outboard.doca.spi;
