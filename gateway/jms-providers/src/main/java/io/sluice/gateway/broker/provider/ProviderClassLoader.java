package io.sluice.gateway.broker.provider;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Enumeration;
import java.util.List;

/**
 * Class loader of the jars of a plugged provider. They precede the class path: a client must not
 * use the node's version of a library that it brings, such as Netty. Classes of the JDK, the JMS
 * API and SLF4J are shared with the node. Any thread.
 */
final class ProviderClassLoader extends URLClassLoader {
  private static final List<String> SHARED = List.of("java.", "jakarta.jms.", "org.slf4j.");

  static {
    registerAsParallelCapable();
  }

  ProviderClassLoader(URL[] jars, ClassLoader classPath) {
    super(jars, classPath);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null) {
        loaded =
            SHARED.stream().anyMatch(name::startsWith) ? super.loadClass(name, false) : own(name);
      }
      if (resolve) {
        resolveClass(loaded);
      }
      return loaded;
    }
  }

  private Class<?> own(String name) throws ClassNotFoundException {
    try {
      return getPlatformClassLoader().loadClass(name);
    } catch (ClassNotFoundException notInJdk) {
      try {
        return findClass(name);
      } catch (ClassNotFoundException notInJars) {
        return getParent().loadClass(name);
      }
    }
  }

  @Override
  public URL getResource(String name) {
    URL own = findResource(name);
    return own == null ? super.getResource(name) : own;
  }

  // Services of the class path implement other versions of the interfaces that are in the jars.
  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    Enumeration<URL> own = findResources(name);
    return own.hasMoreElements() ? own : super.getResources(name);
  }
}
