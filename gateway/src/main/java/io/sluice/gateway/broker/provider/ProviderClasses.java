package io.sluice.gateway.broker.provider;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Setting;
import jakarta.jms.ConnectionFactory;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.naming.Context;
import javax.naming.spi.InitialContextFactory;

/**
 * Class loading of a plugged provider, from {@code broker.jars} and the class path. Stateless; any
 * thread.
 */
public final class ProviderClasses {
  private static final String JNDI_PROPERTIES = "jndi.properties";

  private ProviderClasses() {}

  /**
   * Class that the configured provider requires and cannot use.
   *
   * @param setting configuration key that names it
   * @param entry entry within the setting's map; empty if the setting is not a map
   * @param what description of the error
   * @param expected description of the allowed values
   */
  public record Problem(Setting<?> setting, String entry, String what, String expected) {}

  /**
   * Returns the first problem with the classes that the configuration names. Loads them without
   * initialization and opens no connection.
   */
  public static Optional<Problem> problem(ProviderOptions options) {
    if (!options.isJndi() && !options.isFactory()) {
      return Optional.empty();
    }
    try (URLClassLoader loader = loader(options.jars())) {
      return options.isJndi() ? contextFactory(options, loader) : factory(options, loader);
    } catch (IOException | InvalidPathException e) {
      return Optional.empty(); // the check of broker.jars reports the folder
    }
  }

  /** Returns a class loader of the jars in a folder, then of the class path. */
  static URLClassLoader loader(String folder) throws IOException {
    URL[] jars = folder.isEmpty() ? new URL[0] : jars(Path.of(folder));
    return new URLClassLoader(jars, ProviderClasses.class.getClassLoader());
  }

  private static URL[] jars(Path folder) throws IOException {
    List<URL> jars = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".jar")).sorted().toList()) {
        jars.add(file.toUri().toURL());
      }
    }
    return jars.toArray(URL[]::new);
  }

  private static Optional<Problem> contextFactory(ProviderOptions options, ClassLoader loader) {
    String entry = Context.INITIAL_CONTEXT_FACTORY;
    String name = options.properties().get(entry);
    String expected = "a class that implements " + InitialContextFactory.class.getName();
    if (name == null) {
      boolean elsewhere =
          System.getProperty(entry) != null || loader.getResource(JNDI_PROPERTIES) != null;
      return elsewhere
          ? Optional.empty()
          : problem(BrokerSettings.PROPERTIES, "", "has no " + entry, expected);
    }
    return unusable(options.jars(), loader, name, InitialContextFactory.class)
        .flatMap(
            what -> problem(BrokerSettings.PROPERTIES, entry, entry + " is " + what, expected));
  }

  private static Optional<Problem> factory(ProviderOptions options, ClassLoader loader) {
    String name = options.connectionFactory();
    if (name.isEmpty()) {
      return Optional.empty(); // the check of broker.provider reports it
    }
    return unusable(options.jars(), loader, name, ConnectionFactory.class)
        .flatMap(
            what ->
                problem(
                    BrokerSettings.CONNECTION_FACTORY,
                    "",
                    "is " + what,
                    "a class that implements "
                        + ConnectionFactory.class.getName()
                        + " and has a public constructor without arguments"));
  }

  private static Optional<Problem> problem(
      Setting<?> setting, String entry, String what, String expected) {
    return Optional.of(new Problem(setting, entry, what, expected));
  }

  private static Optional<String> unusable(
      String jars, ClassLoader loader, String name, Class<?> needed) {
    String quoted = '"' + name + '"';
    try {
      Class<?> found = Class.forName(name, false, loader);
      if (!needed.isAssignableFrom(found)) {
        return Optional.of(quoted + ", which does not implement " + needed.getName());
      }
      return isConstructible(found)
          ? Optional.empty()
          : Optional.of(quoted + ", which has no public constructor without arguments");
    } catch (ClassNotFoundException e) {
      return Optional.of(quoted + ", a class that " + places(jars));
    } catch (LinkageError e) {
      return Optional.of(quoted + ", a class that cannot be loaded: " + e);
    }
  }

  private static boolean isConstructible(Class<?> found) {
    try {
      found.getConstructor();
      return !Modifier.isAbstract(found.getModifiers());
    } catch (NoSuchMethodException e) {
      return false;
    }
  }

  private static String places(String folder) {
    return folder.isEmpty()
        ? "is not on the class path; broker.jars is empty"
        : "is neither in a jar of broker.jars (" + folder + ") nor on the class path";
  }
}
