/**
 * Creation of the AOT cache: the command, the file, the trained node in a child process, and its
 * load. Entry point is {@code AotCacheCommand}; used by the main thread.
 */
package io.sluice.gateway.cli.training;
