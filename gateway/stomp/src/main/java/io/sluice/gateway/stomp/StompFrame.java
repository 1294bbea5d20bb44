package io.sluice.gateway.stomp;

/**
 * Frame of a client. For one thread.
 *
 * @param bytes its size on the wire
 */
record StompFrame(StompCommand command, StompHeaders headers, byte[] body, int bytes) {
  /** Returns the first value of a header, or null. */
  String header(String name) {
    return headers.get(name);
  }

  /** Returns the first value of a header that the command requires. */
  String required(String name) throws BadStomp {
    String value = header(name);
    if (value == null || value.isEmpty()) {
      throw new BadStomp(command + " requires the header \"" + name + "\"");
    }
    return value;
  }

  /** Returns a header that is {@code true} or {@code false}; null if it is absent. */
  Boolean flag(String name) throws BadStomp {
    String value = header(name);
    if (value == null) {
      return null;
    }
    return switch (value) {
      case "true" -> Boolean.TRUE;
      case "false" -> Boolean.FALSE;
      default -> throw BadStomp.header(name, value, "must be true or false");
    };
  }

  /** Returns a header that is a whole number, or {@code absent}. */
  long number(String name, long min, long max, long absent) throws BadStomp {
    String value = header(name);
    if (value == null) {
      return absent;
    }
    long number;
    try {
      number = Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw BadStomp.header(name, value, "must be a whole number");
    }
    if (number < min || number > max) {
      throw BadStomp.header(name, value, "must be from " + min + " to " + max);
    }
    return number;
  }
}
