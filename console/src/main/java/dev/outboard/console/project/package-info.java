/// Projects from which users start.
package dev.outboard.console.project;
