package io.sluice.image;

import java.nio.file.Path;

/**
 * A layer as it is stored.
 *
 * @param purpose what it holds, for the image's history
 * @param file the packed archive
 * @param digest of that file
 * @param content of the archive before it was packed
 */
record Layer(String purpose, Path file, long bytes, Digest digest, Digest content) {}
