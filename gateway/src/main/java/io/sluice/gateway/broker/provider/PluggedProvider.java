package io.sluice.gateway.broker.provider;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import java.beans.BeanInfo;
import java.beans.IntrospectionException;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.io.IOException;
import java.util.Arrays;
import java.util.Hashtable;
import java.util.Map;
import javax.naming.InitialContext;

/**
 * Provider for other JMS clients, whose ConnectionFactory is a configured class or a JNDI object.
 * Their jars are loaded from a folder. Threads are those of {@link Provider}.
 */
public final class PluggedProvider implements Provider {
  private final ProviderOptions options;
  private ClassLoader classLoader;
  private ConnectionFactory factory;

  /** Creates a provider that is not connected. */
  public PluggedProvider(ProviderOptions options) {
    this.options = options;
  }

  // No lock is held here: the publisher connects on a separate thread, which the JMS client may
  // block.
  @Override
  public Connection connect(int index, Runnable onLost) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try {
      thread.setContextClassLoader(classLoader());
      return options.credentials().connect(factory(), index, onLost);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  // Off by default: without a confirmation window, Artemis' client calls the listener before the
  // broker has the message. An unknown client may do the same.
  @Override
  public boolean confirmsAsynchronously() {
    return options.publishMode().equals("async");
  }

  @Override
  public Wildcards wildcards() {
    return options.wildcards();
  }

  // Client requests are validated earlier. This check also covers all other callers.
  @Override
  public boolean isPlainName(String topic) {
    return Provider.super.isPlainName(topic) && options.topicRules().checkPattern(topic) == null;
  }

  private synchronized ClassLoader classLoader() throws IOException {
    if (classLoader == null) {
      classLoader = ProviderClasses.loader(options.jars());
    }
    return classLoader;
  }

  // A JNDI lookup is repeated for each attempt, because the object may have changed.
  private ConnectionFactory factory() throws Exception {
    if (options.isJndi()) {
      return lookUp();
    }
    if (factory == null) {
      factory = create(options.connectionFactory());
    }
    return factory;
  }

  private ConnectionFactory lookUp() throws Exception {
    InitialContext context = new InitialContext(new Hashtable<>(options.properties()));
    try {
      String name = options.connectionFactory();
      return checked(context.lookup(name), "JNDI name " + name);
    } finally {
      context.close();
    }
  }

  private ConnectionFactory create(String className) throws Exception {
    Object created = classLoader().loadClass(className).getConstructor().newInstance();
    setProperties(created, options.properties());
    return checked(created, "class " + className);
  }

  private static ConnectionFactory checked(Object found, String where) {
    if (found instanceof ConnectionFactory connections) {
      return connections;
    }
    throw new IllegalArgumentException(where + " is not a jakarta.jms.ConnectionFactory");
  }

  private static void setProperties(Object bean, Map<String, String> properties)
      throws IntrospectionException, ReflectiveOperationException {
    BeanInfo info = Introspector.getBeanInfo(bean.getClass());
    for (Map.Entry<String, String> property : properties.entrySet()) {
      PropertyDescriptor descriptor =
          Arrays.stream(info.getPropertyDescriptors())
              .filter(candidate -> candidate.getName().equals(property.getKey()))
              .filter(candidate -> candidate.getWriteMethod() != null)
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "broker.properties: "
                              + bean.getClass().getName()
                              + " has no property "
                              + property.getKey()));
      Object value = converted(property.getValue(), descriptor.getPropertyType());
      descriptor.getWriteMethod().invoke(bean, value);
    }
  }

  private static Object converted(String text, Class<?> type) {
    if (type == int.class || type == Integer.class) {
      return Integer.valueOf(text);
    }
    if (type == long.class || type == Long.class) {
      return Long.valueOf(text);
    }
    if (type == boolean.class || type == Boolean.class) {
      return Boolean.valueOf(text);
    }
    return text;
  }
}
