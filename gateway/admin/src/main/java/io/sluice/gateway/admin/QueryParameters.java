package io.sluice.gateway.admin;

import io.vertx.core.http.HttpServerRequest;

/** Query parameters of the admin port. Stateless; used on its event loop. */
final class QueryParameters {
  private QueryParameters() {}

  /**
   * Returns a whole number.
   *
   * @throws IllegalArgumentException with an error message of one line
   */
  static long number(
      HttpServerRequest request, String name, long defaultValue, long min, long max) {
    String text = request.getParam(name);
    if (text == null) {
      return defaultValue;
    }
    String error = name + " is not a number from " + min + " to " + max;
    try {
      long number = Long.parseLong(text);
      if (number < min || number > max) {
        throw new IllegalArgumentException(error);
      }
      return number;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(error, e);
    }
  }

  /**
   * Returns a text, which may be empty.
   *
   * @throws IllegalArgumentException with an error message of one line
   */
  static String required(HttpServerRequest request, String name) {
    String text = request.getParam(name);
    if (text == null) {
      throw new IllegalArgumentException("the parameter " + name + " is missing");
    }
    return text;
  }
}
