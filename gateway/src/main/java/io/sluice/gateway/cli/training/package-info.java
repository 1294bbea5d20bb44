/**
 * Creation of the AOT cache: the file, the trained node in a child process, and its load. Entry
 * points are {@code AotCacheFile}, {@code TrainedNode} and {@code TrainingLoad}; used by the main
 * thread.
 */
package io.sluice.gateway.cli.training;
