package io.sluice.gateway.broker.provider;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.Setting;
import jakarta.jms.ConnectionFactory;
import java.beans.IntrospectionException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  private static final String DEPENDENCIES =
      "a class whose dependencies are in broker.jars or on the class path";

  private static final String QPID_JARS = "a folder with the jars of Qpid JMS 2";

  private static final ClassLoader CLASS_PATH = ProviderClasses.class.getClassLoader();

  private ProviderClasses() {}

  /**
   * Class or property that the configured provider cannot use.
   *
   * @param setting configuration key that names it
   * @param entry entry within the setting's map; empty if the setting is not a map
   * @param what description of the error
   * @param expected description of the allowed values
   */
  public record Problem(Setting<?> setting, String entry, String what, String expected) {
    private boolean hasEntryOf(Problem other) {
      return setting.equals(other.setting) && entry.equals(other.entry);
    }
  }

  /**
   * Returns the problems with options of the JMS client, with the class that the configuration
   * names, or with the properties of the ConnectionFactory. Creates an instance, because only this
   * requires all classes that it depends on. Opens no connection.
   */
  public static List<Problem> problems(ProviderOptions options) {
    List<Problem> problems = new ArrayList<>();
    for (JmsClientOptions.Problem found : options.clientProblems()) {
      problems.add(new Problem(found.setting(), found.entry(), found.what(), found.expected()));
    }
    if (options.isJndi() || options.isFactory() || options.isAmqp()) {
      checkCapabilities(options, problems);
      for (Problem found : classProblems(options)) {
        if (found.entry().isEmpty() || problems.stream().noneMatch(found::hasEntryOf)) {
          problems.add(found);
        }
      }
    }
    return problems;
  }

  private static void checkCapabilities(ProviderOptions options, List<Problem> problems) {
    options.capabilities().stream()
        .filter(word -> Capability.of(word).isEmpty())
        .forEach(
            word ->
                problems.add(
                    new Problem(
                        BrokerSettings.CAPABILITIES,
                        "",
                        "has \"" + word + '"',
                        "some of " + String.join(", ", Capability.words()))));
    try {
      options.checkedCapabilities();
    } catch (IOException e) {
      problems.add(
          new Problem(
              BrokerSettings.REPORT,
              "",
              "is \"" + options.report() + "\", which cannot be used: " + e.getMessage(),
              "a report that sluice provider-check wrote for this provider"));
    }
  }

  private static List<Problem> classProblems(ProviderOptions options) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader = loader(options.jars())) {
      Optional<String> javax = JavaxClients.find(jars(options.jars()));
      if (javax.isPresent()) {
        return problem(BrokerSettings.JARS, "", "has " + need(javax.get()), JavaxClients.EXPECTED);
      }
      thread.setContextClassLoader(loader);
      return options.isJndi() ? contextFactory(options, loader) : factory(options, loader);
    } catch (IOException | InvalidPathException e) {
      return List.of(); // the check of broker.jars reports the folder
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Returns a class loader of the jars in a folder, then of the class path. */
  static URLClassLoader loader(String folder) throws IOException {
    List<URL> urls = new ArrayList<>();
    for (Path jar : jars(folder)) {
      urls.add(jar.toUri().toURL());
    }
    return new ProviderClassLoader(urls.toArray(URL[]::new), CLASS_PATH);
  }

  private static List<Path> jars(String folder) throws IOException {
    if (folder.isEmpty()) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(Path.of(folder))) {
      return files.filter(path -> path.toString().endsWith(".jar")).sorted().toList();
    }
  }

  /** Returns whether a class is the node's instead of one in the configured jars. Any thread. */
  static boolean isBundled(Class<?> type, String jars) {
    return !jars.isEmpty() && type.getClassLoader() == CLASS_PATH;
  }

  private static List<Problem> contextFactory(ProviderOptions options, ClassLoader loader) {
    String entry = Context.INITIAL_CONTEXT_FACTORY;
    String name = options.properties().get(entry);
    String expected = "a class that implements " + InitialContextFactory.class.getName();
    if (name == null) {
      boolean elsewhere =
          System.getProperty(entry) != null || loader.getResource(JNDI_PROPERTIES) != null;
      return elsewhere
          ? List.of()
          : problem(BrokerSettings.PROPERTIES, "", "has no " + entry, expected);
    }
    String is = entry + " is ";
    Optional<String> unusable = unusable(options.jars(), loader, name, InitialContextFactory.class);
    if (unusable.isPresent()) {
      return problem(BrokerSettings.PROPERTIES, entry, is + unusable.get(), expected);
    }
    try {
      Class<?> found = loader.loadClass(name);
      if (!found.getModule().isNamed()) { // else the JDK creates it
        found.getConstructor().newInstance();
      }
      return List.of();
    } catch (ReflectiveOperationException | LinkageError e) {
      return problem(BrokerSettings.PROPERTIES, entry, is + notCreated(name, e), DEPENDENCIES);
    }
  }

  private static List<Problem> factory(ProviderOptions options, ClassLoader loader) {
    String name = options.connectionFactory();
    if (name.isEmpty()) {
      return List.of(); // the check of broker.provider reports it
    }
    if (options.isAmqp()) {
      return amqpClient(options, loader);
    }
    Setting<?> setting = BrokerSettings.CONNECTION_FACTORY;
    Optional<String> unusable = unusable(options.jars(), loader, name, ConnectionFactory.class);
    if (unusable.isPresent()) {
      return problem(
          setting,
          "",
          "is " + unusable.get(),
          "a class that implements "
              + ConnectionFactory.class.getName()
              + " and has a public constructor without arguments");
    }
    try {
      return properties(options.properties(), FactoryBean.create(name, loader));
    } catch (ReflectiveOperationException | IntrospectionException | LinkageError e) {
      return problem(setting, "", "is " + notCreated(name, e), DEPENDENCIES);
    }
  }

  private static List<Problem> amqpClient(ProviderOptions options, ClassLoader loader) {
    String folder = options.jars();
    try {
      ConnectionFactory created =
          FactoryBean.create(QpidClient.FACTORY, loader).with(options.properties());
      return isBundled(created.getClass(), folder)
          ? problem(BrokerSettings.JARS, "", "has no jar with " + QpidClient.FACTORY, QPID_JARS)
          : List.of();
    } catch (ClassNotFoundException e) {
      String what =
          folder.isEmpty()
              ? "is empty, and this installation has no client for broker.provider amqp"
              : "has no jar with " + QpidClient.FACTORY;
      return problem(BrokerSettings.JARS, "", what, QPID_JARS);
    } catch (FactoryBean.InvalidPropertyException e) {
      return problem(BrokerSettings.URL, "", e.getMessage(), "a URL of Qpid JMS");
    } catch (ReflectiveOperationException | IntrospectionException | LinkageError e) {
      return problem(
          BrokerSettings.JARS, "", "has " + notCreated(QpidClient.FACTORY, e), QPID_JARS);
    }
  }

  private static List<Problem> properties(Map<String, String> properties, FactoryBean bean)
      throws ReflectiveOperationException {
    List<Problem> problems = new ArrayList<>();
    for (Map.Entry<String, String> property : properties.entrySet()) {
      String name = property.getKey();
      try {
        bean.set(name, property.getValue());
      } catch (FactoryBean.InvalidPropertyException e) {
        problems.add(new Problem(BrokerSettings.PROPERTIES, name, e.getMessage(), e.expected()));
      }
    }
    return problems;
  }

  private static List<Problem> problem(
      Setting<?> setting, String entry, String what, String expected) {
    return List.of(new Problem(setting, entry, what, expected));
  }

  private static Optional<String> unusable(
      String jars, ClassLoader loader, String name, Class<?> needed) {
    String quoted = '"' + name + '"';
    URL entry = loader.getResource(name.replace('.', '/') + ".class");
    try {
      Class<?> found = Class.forName(name, false, loader);
      if (isBundled(found, jars)) {
        return Optional.of(quoted + ", a class that " + places(jars));
      }
      Optional<String> javax = javaxJar(entry);
      if (javax.isPresent()) {
        return Optional.of(quoted + ", a class of " + need(javax.get()));
      }
      if (!needed.isAssignableFrom(found)) {
        return Optional.of(quoted + ", which does not implement " + needed.getName());
      }
      return isConstructible(found)
          ? Optional.empty()
          : Optional.of(quoted + ", which has no public constructor without arguments");
    } catch (ClassNotFoundException e) {
      return Optional.of(quoted + ", a class that " + places(jars));
    } catch (LinkageError e) {
      Optional<String> javax = javaxJar(entry);
      return Optional.of(
          quoted
              + ", a class "
              + javax.map(jar -> "of " + need(jar)).orElse("that cannot be loaded: " + e));
    }
  }

  /** Returns the jar of a class if it needs {@code javax.jms}; empty for other places. */
  private static Optional<String> javaxJar(URL entry) {
    try {
      return entry != null && entry.openConnection() instanceof JarURLConnection jar
          ? JavaxClients.find(List.of(Path.of(jar.getJarFileURL().toURI())))
          : Optional.empty();
    } catch (IOException | URISyntaxException e) {
      return Optional.empty();
    }
  }

  private static String need(String jar) {
    return jar + ", which needs javax.jms";
  }

  private static String notCreated(String name, Throwable e) {
    Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
    return '"'
        + name
        + "\", a class that cannot be instantiated: "
        + ServiceUrl.masked(cause.toString());
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
        : "is not in a jar of broker.jars (" + folder + ")";
  }
}
