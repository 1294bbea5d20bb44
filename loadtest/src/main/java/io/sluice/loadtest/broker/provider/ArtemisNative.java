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
 * The native part of Artemis' asynchronous journal. Where it can't be loaded, Artemis takes another
 * journal and goes on, which would be measured under the wrong name. Stateless.
 */
public final class ArtemisNative {
  private static final String JAR = "activemq-artemis-native-";
  private static final String LIBRARY = "libartemis-native-64.so";
  private static final String ENTRY = "lib/linux-x86_64/" + LIBRARY;
  private static final String LIBAIO = "libaio.so.1";
  private static final List<String> FOLDERS =
      List.of("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu");

  private ArtemisNative() {}

  /** Whether this is a machine that it exists for, with the library that it needs. */
  public static boolean isUsable() {
    if (!System.getProperty("os.arch").equals("amd64")) {
      return false;
    }
    String more = System.getenv().getOrDefault("LD_LIBRARY_PATH", "");
    return Stream.concat(FOLDERS.stream(), Stream.of(more.split(":")))
        .filter(folder -> !folder.isEmpty())
        .anyMatch(folder -> Files.exists(Path.of(folder, LIBAIO)));
  }

  /** Takes the library out of its jar among Artemis' own, into a folder. */
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
   * Checks that a broker has it.
   *
   * @throws BrokerStartFailure if it has not
   */
  static void check(long process) throws IOException {
    String maps = Files.readString(Path.of("/proc", String.valueOf(process), "maps"));
    if (!maps.contains(LIBRARY)) {
      throw new BrokerStartFailure(
          "Artemis can't load " + LIBRARY + " and has taken another journal than ASYNCIO");
    }
  }
}
