package io.sluice.gateway.broker.provider;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Detection of JMS clients for {@code javax.jms}, the API before Jakarta: the node cannot use them.
 * Stateless, for any thread.
 */
final class JavaxClients {
  static final String EXPECTED =
      "a client for jakarta.jms: often a later major version or an artifact with \"jakarta\" in its"
          + " name, or jars converted by Apache's jakartaee-migration";

  private static final String JAVAX = "javax/jms/";
  private static final String JAKARTA = "jakarta/jms/";

  private JavaxClients() {}

  /**
   * Returns the name of the first jar with a class that uses {@code javax.jms}; empty if there is
   * none. Also empty if a class in any jar uses {@code jakarta.jms}: a client may support both.
   */
  static Optional<String> find(Collection<Path> jars) throws IOException {
    String found = null;
    for (Path jar : jars) {
      switch (api(jar)) {
        case JAKARTA -> {
          return Optional.empty();
        }
        case JAVAX -> found = found == null ? String.valueOf(jar.getFileName()) : found;
        default -> {
          // neither
        }
      }
    }
    return Optional.ofNullable(found);
  }

  /** Returns the API that a jar's classes use, without those of the API itself; empty: none. */
  private static String api(Path jar) throws IOException {
    String found = "";
    try (JarFile file = new JarFile(jar.toFile())) {
      for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements(); ) {
        JarEntry entry = entries.nextElement();
        String name = entry.getName();
        if (name.endsWith(".class") && List.of(JAVAX, JAKARTA).stream().noneMatch(name::contains)) {
          String text = constants(file, entry);
          if (text.contains(JAKARTA)) {
            return JAKARTA;
          }
          found = text.contains(JAVAX) ? JAVAX : found;
        }
      }
    }
    return found;
  }

  private static String constants(JarFile file, JarEntry entry) throws IOException {
    try (InputStream bytes = file.getInputStream(entry)) {
      return new String(bytes.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }
}
