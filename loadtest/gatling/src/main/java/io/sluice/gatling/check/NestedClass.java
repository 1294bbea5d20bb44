package io.sluice.gatling.check;

import java.lang.reflect.Constructor;

/**
 * Class of Gatling that Scala nests in a nested object. The Java compiler cannot name such classes;
 * therefore this is the only place with reflection. Immutable, for any thread.
 */
public final class NestedClass {
  /** Value of a check, from an extractor. */
  static final NestedClass FIND =
      new NestedClass(
          "io.gatling.core.check.CheckBuilder$Find$Default", scala.Function1.class, boolean.class);

  /** Request that a throttle delays. */
  public static final NestedClass THROTTLED_REQUEST =
      new NestedClass(
          "io.gatling.core.controller.throttle.Throttler$Command$ThrottledRequest",
          String.class,
          scala.Function0.class);

  private final Constructor<?> constructor;

  private NestedClass(String name, Class<?>... parameters) {
    try {
      constructor = Class.forName(name).getConstructor(parameters);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this version of Gatling is not supported: " + e, e);
    }
  }

  /** Creates an instance. */
  public Object create(Object... arguments) {
    try {
      return constructor.newInstance(arguments);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(constructor + ": " + e.getCause(), e);
    }
  }
}
