package io.sluice.image;

import java.util.List;

/** Selection of the files of Debian packages that the image contains. Any thread may call it. */
final class PackageFilter {
  private static final List<String> EXCLUDED =
      List.of(
          "etc/skel",
          "etc/update-motd.d",
          "usr/bin/bashbug",
          "usr/bin/clear_console",
          "usr/bin/rbash",
          "usr/lib/debug",
          "usr/sbin/update-ca-certificates",
          "usr/share/base-files",
          "usr/share/bash-completion",
          "usr/share/debianutils",
          "usr/share/gcc",
          "usr/share/gdb",
          "usr/share/info",
          "usr/share/lintian",
          "usr/share/locale",
          "usr/share/man",
          "usr/share/menu");

  private PackageFilter() {}

  static boolean includes(String packageName, String path) {
    if (path.startsWith("usr/share/doc/")) {
      return path.endsWith("/copyright");
    }
    // Its programs are for machine administration.
    if (packageName.equals("libc-bin")) {
      return path.startsWith("usr/lib/locale/");
    }
    return EXCLUDED.stream().noneMatch(each -> path.equals(each) || path.startsWith(each + "/"));
  }
}
