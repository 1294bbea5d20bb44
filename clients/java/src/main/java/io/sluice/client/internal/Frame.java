package io.sluice.client.internal;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Frame of the node. Accessors check the kind of a member, and name the frame and the member if it
 * is wrong.
 */
public final class Frame {
  /** Type that stands for an unreadable frame; no node can send it. */
  public static final String UNREADABLE = " unreadable";

  private static final String STRING = "a string";
  private static final String INTEGER = "an integer";
  private static final String HEX = "0123456789abcdef";

  private final String name;
  private final Map<String, Object> members;

  private Frame(String name, Map<String, Object> members) {
    this.name = name;
    this.members = members;
  }

  /**
   * Parses a text frame.
   *
   * @throws BadFrameException if it is not a JSON object with a type
   */
  public static Frame parse(String text) {
    Object value = Json.parse(text);
    return of(object(value, "frame"));
  }

  /** Returns the frame with these members. */
  public static Frame of(Map<String, Object> members) {
    return new Frame(new Frame("frame", members).text("type"), members);
  }

  /**
   * Returns the frame that stands for an unreadable one, with its readable members. The member
   * {@code type} is that of the unreadable frame.
   */
  public static Frame unreadable(BadFrameException cause, Map<String, Object> readable) {
    Map<String, Object> members = new LinkedHashMap<>(readable);
    members.put("message", cause.getMessage());
    return new Frame(UNREADABLE, members);
  }

  /** Returns the members. */
  public Map<String, Object> members() {
    return Collections.unmodifiableMap(members);
  }

  /** Returns an object within a frame, whose name errors contain. */
  public static Frame named(String name, Map<String, Object> members) {
    return new Frame(name, members);
  }

  /** Returns the type. */
  public String type() {
    return name;
  }

  /** Returns whether a member is present. */
  public boolean has(String member) {
    return members.containsKey(member);
  }

  /** Returns any value; null if absent. */
  public Object get(String member) {
    return members.get(member);
  }

  /** Returns a string. */
  public String text(String member) {
    return require(member, String.class, STRING);
  }

  /** Returns a string; null if absent. */
  public String optionalText(String member) {
    return has(member) ? text(member) : null;
  }

  /** Returns a number. */
  public long number(String member) {
    return require(member, Long.class, INTEGER);
  }

  /** Returns a number; null if absent. */
  public Long optionalNumber(String member) {
    return has(member) ? require(member, Long.class, INTEGER) : null;
  }

  /** Returns a time in milliseconds, those beyond 64 bits as the last one; null if absent. */
  public Long optionalTime(String member) {
    boolean isBeyond = members.get(member) instanceof Double;
    return isBeyond
        ? Long.valueOf((long) require(member, Double.class, INTEGER).doubleValue())
        : optionalNumber(member);
  }

  /** Returns a number; -1 if absent. */
  public long ref() {
    return has("ref") ? number("ref") : -1;
  }

  /** Returns whether an optional member is true. */
  public boolean flag(String member) {
    return has(member) && require(member, Boolean.class, "a boolean");
  }

  /** Returns an object. */
  public Frame object(String member) {
    String path = name + ": " + member;
    return new Frame(path, object(members.get(member), path));
  }

  /** Returns the members of an optional object; empty if absent. */
  public Map<String, Object> map(String member) {
    return has(member)
        ? Collections.unmodifiableMap(object(member).members)
        : Collections.emptyMap();
  }

  /** Returns the properties of a message. */
  public Map<String, Object> properties() {
    Map<String, Object> properties = map("properties");
    for (Object value : properties.values()) {
      if (value == null || value instanceof Map || value instanceof List) {
        throw wrong("properties", "strings, numbers or booleans");
      }
    }
    return properties;
  }

  /** Returns whether an optional list of strings contains a value. */
  public boolean lists(String member, String value) {
    return has(member) && require(member, List.class, "a list").contains(value);
  }

  /** Returns an optional list; empty if absent. */
  public List<?> list(String member) {
    return has(member) ? require(member, List.class, "a list") : Collections.emptyList();
  }

  /** Returns the identity of a message. */
  public String id() {
    if (!isId(members.get("id"))) {
      throw wrong("id", "16 hexadecimal digits");
    }
    return text("id");
  }

  /** Returns the identities of {@code ids}; empty if absent. */
  @SuppressWarnings("unchecked")
  public List<String> ids() {
    List<?> ids = list("ids");
    if (!ids.stream().allMatch(Frame::isId)) {
      throw wrong("ids", "a list of 16 hexadecimal digits each");
    }
    return (List<String>) ids;
  }

  /** Returns whether a value is the identity of a message. */
  static boolean isId(Object value) {
    return value instanceof String
        && ((String) value).length() == 16
        && ((String) value).chars().allMatch(digit -> HEX.indexOf(digit) >= 0);
  }

  /** Returns the exception for a member that is not as expected. */
  public BadFrameException wrong(String member, String expected) {
    Object actual = members.get(member);
    return new BadFrameException(
        name
            + ": "
            + member
            + " must be "
            + expected
            + ", not "
            + (has(member) ? show(actual) : "absent"));
  }

  private <T> T require(String member, Class<T> kind, String expected) {
    Object value = members.get(member);
    if (!kind.isInstance(value)) {
      throw wrong(member, expected);
    }
    return kind.cast(value);
  }

  private static String show(Object value) {
    String text = Json.write(value);
    return text.length() > 80 ? text.substring(0, 80) + "…" : text;
  }

  /**
   * Returns a JSON object.
   *
   * @throws BadFrameException if the value is none; the message begins with its name
   */
  @SuppressWarnings("unchecked")
  public static Map<String, Object> object(Object value, String path) {
    if (value instanceof Map) {
      return (Map<String, Object>) value;
    }
    throw new BadFrameException(path + " must be a JSON object, not " + show(value));
  }
}
