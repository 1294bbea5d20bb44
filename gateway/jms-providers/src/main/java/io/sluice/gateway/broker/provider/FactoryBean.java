package io.sluice.gateway.broker.provider;

import io.sluice.gateway.config.NearestKey;
import io.sluice.gateway.config.ServiceUrl;
import jakarta.jms.ConnectionFactory;
import java.beans.IntrospectionException;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Instance of a configured ConnectionFactory class and its writable bean properties. Confined to
 * one thread.
 */
final class FactoryBean {
  private static final Set<Class<?>> INTEGERS =
      Set.of(int.class, Integer.class, long.class, Long.class);
  private static final Set<Class<?>> BOOLEANS = Set.of(boolean.class, Boolean.class);

  private final ConnectionFactory bean;
  private final Map<String, PropertyDescriptor> writable = new TreeMap<>();

  private FactoryBean(ConnectionFactory bean) throws IntrospectionException {
    this.bean = bean;
    for (PropertyDescriptor property :
        Introspector.getBeanInfo(bean.getClass()).getPropertyDescriptors()) {
      if (property.getWriteMethod() != null && isWritable(property.getPropertyType())) {
        writable.put(property.getName(), property);
      }
    }
  }

  /** Property that the class does not have, or whose value it does not accept. Immutable. */
  static final class InvalidPropertyException extends Exception {
    private static final long serialVersionUID = 1;

    private final String expected;

    private InvalidPropertyException(String what, String expected) {
      super(what);
      this.expected = expected;
    }

    /** Returns a description of the allowed names or values; empty if it is unknown. */
    String expected() {
      return expected;
    }
  }

  /**
   * Creates an instance with the public constructor without arguments. JMS clients connect later.
   *
   * @throws LinkageError if classes that it requires are missing
   */
  static FactoryBean create(String className, ClassLoader loader)
      throws ReflectiveOperationException, IntrospectionException {
    Object created = loader.loadClass(className).getConstructor().newInstance();
    if (created instanceof ConnectionFactory factory) {
      return new FactoryBean(factory);
    }
    throw new IllegalArgumentException(
        "class " + className + " is not a " + ConnectionFactory.class.getName());
  }

  /** Sets the properties and returns the ConnectionFactory. */
  ConnectionFactory with(Map<String, String> properties)
      throws InvalidPropertyException, ReflectiveOperationException {
    for (Map.Entry<String, String> property : properties.entrySet()) {
      set(property.getKey(), property.getValue());
    }
    return bean;
  }

  /** Sets a property. */
  void set(String name, String text) throws InvalidPropertyException, ReflectiveOperationException {
    PropertyDescriptor property = writable.get(name);
    if (property == null) {
      throw new InvalidPropertyException(
          name
              + " is not a property of "
              + bean.getClass().getName()
              + NearestKey.hint(name, writable.keySet()),
          writable.isEmpty() ? "none" : "one of " + String.join(", ", writable.keySet()));
    }
    Object value = converted(name, text, property.getPropertyType());
    try {
      property.getWriteMethod().invoke(bean, value);
    } catch (InvocationTargetException e) {
      throw new InvalidPropertyException(
          name + " is rejected: " + ServiceUrl.masked(e.getCause().toString()), "");
    }
  }

  private static boolean isWritable(Class<?> type) {
    return INTEGERS.contains(type)
        || BOOLEANS.contains(type)
        || type.isAssignableFrom(String.class);
  }

  private static Object converted(String name, String text, Class<?> type)
      throws InvalidPropertyException {
    if (INTEGERS.contains(type)) {
      return integer(name, text, type == int.class || type == Integer.class);
    }
    if (BOOLEANS.contains(type)) {
      if (!text.equals("true") && !text.equals("false")) {
        throw new InvalidPropertyException(name + " is \"" + text + "\"", "true or false");
      }
      return Boolean.valueOf(text);
    }
    return text;
  }

  private static Object integer(String name, String text, boolean isInt)
      throws InvalidPropertyException {
    try {
      if (isInt) {
        return Integer.valueOf(text);
      }
      return Long.valueOf(text);
    } catch (NumberFormatException e) {
      throw new InvalidPropertyException(
          name + " is \"" + text + "\"", "an integer of " + (isInt ? "32" : "64") + " bits");
    }
  }
}
