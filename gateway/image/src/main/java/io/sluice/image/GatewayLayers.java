package io.sluice.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;

/**
 * The layers that hold the gateway: the libraries, which seldom change, and what each release
 * brings. For one thread.
 */
final class GatewayLayers {
  static final String HOME = "opt/sluice";
  static final String SBOM = HOME + "/sbom/sluice.cdx.json";

  /** The launcher's first line asks env for bash, and here there is no env. */
  private static final String LAUNCHER = "bin/sluice";

  private static final String PORTABLE = "#!/usr/bin/env bash\n";
  private static final String BASH = "#!/bin/bash\n";

  private final GatewayArchive archive;
  private final Path folder;
  private final Instant time;

  GatewayLayers(GatewayArchive archive, Path folder, Instant time) {
    this.archive = archive;
    this.folder = folder;
    this.time = time;
  }

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

  /** Without what is for systemd, and the list that the image has for all of it. */
  private static boolean isApplication(String path) {
    return !isLibrary(path) && !path.startsWith("deploy/") && !path.equals("sbom.json");
  }

  private static byte[] launcher(byte[] script) throws IOException {
    String text = new String(script, StandardCharsets.UTF_8);
    if (!text.startsWith(PORTABLE)) {
      throw new IOException(LAUNCHER + " does not begin with " + PORTABLE.strip());
    }
    return (BASH + text.substring(PORTABLE.length())).getBytes(StandardCharsets.UTF_8);
  }
}
