package io.sluice.loadtest.broker.provider;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * Native library of Artemis' asynchronous journal. Stateless, for any thread.
 *
 * <p>If the library cannot be loaded, Artemis silently uses another journal, which would be
 * measured under the wrong name.
 */
public final class ArtemisNative {
  private static final String JAR = "activemq-artemis-native-";
  private static final String LIBRARY = "libartemis-native-64.so";
  private static final String ENTRY = "lib/linux-x86_64/" + LIBRARY;
  private static final String LIBAIO = "libaio.so.1";
  private static final List<String> FOLDERS =
      List.of("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu");

  private ArtemisNative() {}

  /** Returns whether the library supports this machine and its dependency libaio is installed. */
  public static boolean isUsable() {
    if (!System.getProperty("os.arch").equals("amd64")) {
      return false;
    }
    String more = System.getenv().getOrDefault("LD_LIBRARY_PATH", "");
    return Stream.concat(FOLDERS.stream(), Stream.of(more.split(":")))
        .filter(folder -> !folder.isEmpty())
        .anyMatch(folder -> Files.exists(Path.of(folder, LIBAIO)));
  }

  /** Extracts the library from its jar among Artemis' jars into a folder. */
  static void extract(Path jars, Path folder) throws IOException {
    try (Stream<Path> files = Files.list(jars)) {
      Path jar =
          files
              .filter(file -> file.getFileName().toString().startsWith(JAR))
              .findFirst()
              .orElseThrow(() -> new BrokerStartFailure("no " + JAR + "*.jar in " + jars));
      try (JarFile open = new JarFile(jar.toFile())) {
        ZipEntry entry = open.getEntry(ENTRY);
        try (InputStream library = open.getInputStream(entry)) {
          Files.copy(library, folder.resolve(LIBRARY));
        }
      }
    }
  }

  /**
   * Checks that a broker process has loaded the library.
   *
   * @throws BrokerStartFailure if it is not loaded
   */
  static void check(long process) throws IOException {
    String maps = Files.readString(Path.of("/proc", String.valueOf(process), "maps"));
    if (!maps.contains(LIBRARY)) {
      throw new BrokerStartFailure(
          "Artemis cannot load " + LIBRARY + " and uses another journal than ASYNCIO");
    }
  }
}
