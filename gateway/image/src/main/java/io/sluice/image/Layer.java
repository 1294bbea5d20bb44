package io.sluice.image;

import java.nio.file.Path;

/**
 * Image layer in a file. Immutable, for any thread.
 *
 * @param purpose text for the image's history
 * @param file the gzip-compressed archive
 * @param bytes size of that file
 * @param digest of that file
 * @param content digest of the uncompressed archive
 */
record Layer(String purpose, Path file, long bytes, Digest digest, Digest content) {}
