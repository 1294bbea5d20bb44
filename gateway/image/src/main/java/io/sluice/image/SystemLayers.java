package io.sluice.image;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** The layers below the gateway: a bare Debian, and Java. For one thread. */
final class SystemLayers {
  /** Who runs the gateway, as the Helm chart expects. */
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

  Layer base() throws IOException {
    Path file = folder.resolve("base.tar.gz");
    try (LayerWriter layer = new LayerWriter("Debian packages", file, time)) {
      // First, since a package's own idea of a folder comes too late then.
      addSettings(layer);
      for (DebianPackage each : packages) {
        if (!isJava(each)) {
          add(each, layer);
        }
      }
      return layer.finish();
    }
  }

  Layer java() throws IOException {
    Path file = folder.resolve("java.tar.gz");
    try (LayerWriter layer = new LayerWriter("Java", file, time)) {
      for (DebianPackage each : packages) {
        if (isJava(each)) {
          add(each, layer);
        }
      }
      // Java's own file of authorities is a link to it.
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
    throw new IOException("ca-certificates is not among the packages");
  }

  private static void add(DebianPackage added, LayerWriter layer) throws IOException {
    added.visit(
        (path, entry, content) -> {
          if (!PackageFilter.keeps(added.name(), path)) {
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
            throw new IOException(added.name() + " has a " + path + " that is no file");
          }
        });
    // Where scanners look for what an image without a package manager is made of.
    layer.text("var/lib/dpkg/status.d/" + added.name(), added.control());
  }

  /** What the packages' scripts and an administrator would have made. */
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
