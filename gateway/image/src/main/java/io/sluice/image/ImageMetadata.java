package io.sluice.image;

import java.time.Instant;

/**
 * What names an image.
 *
 * @param time of all of its files, so that what it is made of alone makes its digest
 * @param architecture amd64 or arm64
 */
record ImageMetadata(String version, Instant time, String architecture) {
  private static final String SNAPSHOT = "-SNAPSHOT";

  /** As images call it, of one that is asked for or, if that is empty, the machine's. */
  static String architecture(String wanted) {
    String name = wanted.isEmpty() ? System.getProperty("os.arch") : wanted;
    return switch (name) {
      case "amd64", "x86_64" -> "amd64";
      case "arm64", "aarch64" -> "arm64";
      default ->
          throw new IllegalArgumentException(
              "sluice.image.architecture: is amd64 or arm64, not " + name);
    };
  }

  /** The name under which it is loaded: that of the release, also before it. */
  String tag() {
    return "sluice:" + version.replace(SNAPSHOT, "");
  }
}
