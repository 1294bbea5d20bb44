package io.sluice.image;

import java.time.Instant;

/**
 * Version, build time and architecture of an image. Immutable, for any thread.
 *
 * @param time fixed time of all files and of the label {@code created}; makes the digest
 *     reproducible
 * @param architecture amd64 or arm64
 */
record ImageMetadata(String version, Instant time, String architecture) {
  private static final String SNAPSHOT = "-SNAPSHOT";

  /**
   * Returns an architecture's name in images.
   *
   * @param requested a name, or empty for the machine's architecture
   */
  static String architecture(String requested) {
    String name = requested.isEmpty() ? System.getProperty("os.arch") : requested;
    return switch (name) {
      case "amd64", "x86_64" -> "amd64";
      case "arm64", "aarch64" -> "arm64";
      default ->
          throw new IllegalArgumentException(
              "sluice.image.architecture is " + name + "; allowed are amd64 and arm64");
    };
  }

  /** Returns the image's repository and tag. A snapshot has the tag of its release. */
  String reference() {
    return "sluice:" + version.replace(SNAPSHOT, "");
  }
}
