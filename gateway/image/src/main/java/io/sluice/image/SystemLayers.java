package io.sluice.image;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Image layers below the gateway: a minimal Debian, and Java. For one thread. */
final class SystemLayers {
  /** User and group id of the gateway, as in the Helm chart. */
  static final int USER = 65532;

  private static final String STATE = "var/lib/sluice";

  private final List<DebianPackage> packages;
  private final Path folder;
  private final Instant time;

  SystemLayers(List<DebianPackage> packages, Path folder, Instant time) {
    this.packages = packages;
    this.folder = folder;
    this.time = time;
  }

  /** Writes the layer of Debian packages. */
  Layer base() throws IOException {
    Path file = folder.resolve("base.tar.gz");
    try (LayerWriter layer = new LayerWriter("Debian packages", file, time)) {
      // First: these folder modes take precedence over those in packages.
      addSettings(layer);
      for (DebianPackage each : packages) {
        if (!isJava(each)) {
          add(each, layer);
        }
      }
      return layer.finish();
    }
  }

  /** Writes the layer of the Java runtime. */
  Layer java() throws IOException {
    Path file = folder.resolve("java.tar.gz");
    try (LayerWriter layer = new LayerWriter("Java", file, time)) {
      for (DebianPackage each : packages) {
        if (isJava(each)) {
          add(each, layer);
        }
      }
      // The Java package's trust store is a symbolic link to this file.
      layer.file("etc/ssl/certs/java/cacerts", LayerWriter.FILE, authorities().keyStore());
      return layer.finish();
    }
  }

  private static boolean isJava(DebianPackage candidate) {
    return candidate.name().equals(DebianPackages.JAVA);
  }

  private TrustedAuthorities authorities() throws IOException {
    for (DebianPackage each : packages) {
      if (each.name().equals("ca-certificates")) {
        return TrustedAuthorities.of(each);
      }
    }
    throw new IOException("package ca-certificates is missing");
  }

  private static void add(DebianPackage added, LayerWriter layer) throws IOException {
    added.visit(
        (path, entry, content) -> {
          if (!PackageFilter.includes(added.name(), path)) {
            return;
          }
          int mode = entry.getMode() & LayerWriter.FOLDER;
          if (entry.isDirectory()) {
            layer.folder(path, mode, 0);
          } else if (entry.isSymbolicLink()) {
            layer.link(path, entry.getLinkName());
          } else if (entry.isLink()) {
            layer.hardLink(path, entry.getLinkName().replaceFirst("^\\./", ""), mode);
          } else if (entry.isFile()) {
            layer.file(path, mode, entry.getSize(), content);
          } else {
            throw new IOException(
                "package " + added.name() + ": " + path + " has an unsupported type");
          }
        });
    // Vulnerability scanners read this folder in images without a package manager.
    layer.text("var/lib/dpkg/status.d/" + added.name(), added.control());
  }

  /** Adds files that maintainer scripts and an administrator would create. */
  private void addSettings(LayerWriter layer) throws IOException {
    layer.text(
        "etc/passwd",
        """
        root:x:0:0:root:/root:/usr/sbin/nologin
        sluice:x:%1$d:%1$d:Sluice:/%2$s:/usr/sbin/nologin
        """
            .formatted(USER, STATE));
    layer.text("etc/group", "root:x:0:\nsluice:x:%d:\n".formatted(USER));
    layer.text(
        "etc/nsswitch.conf",
        """
        passwd: files
        group: files
        hosts: files dns
        services: files
        protocols: files
        """);
    layer.file("etc/ssl/certs/ca-certificates.crt", LayerWriter.FILE, authorities().pem());
    layer.folder("etc/sluice");
    layer.folder("tmp", 01777, 0);
    layer.folder(STATE, 0700, USER);
  }
}
