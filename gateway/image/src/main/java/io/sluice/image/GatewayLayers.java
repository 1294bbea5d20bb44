package io.sluice.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;

/**
 * Image layers of the gateway: its libraries, which seldom change, and the files of each release.
 * For one thread.
 */
final class GatewayLayers {
  static final String HOME = "opt/sluice";
  static final String SBOM = HOME + "/sbom/sluice.cdx.json";

  /** The launcher's first line calls {@code env}, which the image does not contain. */
  private static final String LAUNCHER = "bin/sluice";

  private static final String PORTABLE_SHEBANG = "#!/usr/bin/env bash\n";
  private static final String BASH_SHEBANG = "#!/bin/bash\n";

  private final GatewayArchive archive;
  private final Path folder;
  private final Instant time;

  GatewayLayers(GatewayArchive archive, Path folder, Instant time) {
    this.archive = archive;
    this.folder = folder;
    this.time = time;
  }

  /** Writes the layer of third-party libraries. */
  Layer libraries() throws IOException {
    Path file = folder.resolve("libraries.tar.gz");
    try (LayerWriter layer = new LayerWriter("libraries", file, time)) {
      for (Map.Entry<String, byte[]> each : archive.files().entrySet()) {
        if (isLibrary(each.getKey())) {
          layer.file(HOME + "/" + each.getKey(), LayerWriter.FILE, each.getValue());
        }
      }
      return layer.finish();
    }
  }

  /** Writes the layer of the gateway's own files. */
  Layer application(byte[] sbom) throws IOException {
    Path file = folder.resolve("application.tar.gz");
    try (LayerWriter layer = new LayerWriter("Sluice", file, time)) {
      for (Map.Entry<String, byte[]> each : archive.files().entrySet()) {
        String path = each.getKey();
        if (path.equals(LAUNCHER)) {
          layer.file(HOME + "/" + path, LayerWriter.PROGRAM, launcher(each.getValue()));
        } else if (isApplication(path)) {
          layer.file(HOME + "/" + path, LayerWriter.FILE, each.getValue());
        }
      }
      layer.file(SBOM, LayerWriter.FILE, sbom);
      return layer.finish();
    }
  }

  private static boolean isLibrary(String path) {
    return path.startsWith("lib/") && !path.startsWith("lib/sluice-");
  }

  /**
   * Returns whether a file belongs to this layer. The systemd unit is left out, and so is the
   * gateway's bill of materials, which the image's own replaces.
   */
  private static boolean isApplication(String path) {
    return !isLibrary(path) && !path.startsWith("deploy/") && !path.equals("sbom.json");
  }

  private static byte[] launcher(byte[] script) throws IOException {
    String text = new String(script, StandardCharsets.UTF_8);
    if (!text.startsWith(PORTABLE_SHEBANG)) {
      throw new IOException(LAUNCHER + " does not begin with " + PORTABLE_SHEBANG.strip());
    }
    return (BASH_SHEBANG + text.substring(PORTABLE_SHEBANG.length()))
        .getBytes(StandardCharsets.UTF_8);
  }
}
