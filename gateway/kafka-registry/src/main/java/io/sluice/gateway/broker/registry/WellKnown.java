package io.sluice.gateway.broker.registry;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Messages of Protobuf with a special JSON form. */
enum WellKnown {
  TIME,
  DURATION,
  FIELD_MASK,
  WRAPPER,
  STRUCT,
  LIST,
  VALUE,
  ANY,

  /** All other messages: an object of fields. */
  NONE;

  private static final Map<String, WellKnown> BY_NAME =
      Map.ofEntries(
          Map.entry("Timestamp", TIME),
          Map.entry("Duration", DURATION),
          Map.entry("FieldMask", FIELD_MASK),
          Map.entry("Struct", STRUCT),
          Map.entry("ListValue", LIST),
          Map.entry("Value", VALUE),
          Map.entry("Any", ANY),
          Map.entry("DoubleValue", WRAPPER),
          Map.entry("FloatValue", WRAPPER),
          Map.entry("Int64Value", WRAPPER),
          Map.entry("UInt64Value", WRAPPER),
          Map.entry("Int32Value", WRAPPER),
          Map.entry("UInt32Value", WRAPPER),
          Map.entry("BoolValue", WRAPPER),
          Map.entry("StringValue", WRAPPER),
          Map.entry("BytesValue", WRAPPER));

  private static final String PACKAGE = "google.protobuf.";
  private static final long MIN_SECOND = Instant.parse("0001-01-01T00:00:00Z").getEpochSecond();
  private static final long MAX_SECOND = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
  private static final long MAX_DURATION = 315_576_000_000L;
  private static final int NANOS_PER_SECOND = 1_000_000_000;
  private static final int MAX_FRACTION = 9;

  private static final Pattern DURATION_TEXT =
      Pattern.compile("(-?)([0-9]{1,12})(?:\\.([0-9]{1,9}))?s");

  static WellKnown of(Descriptor type) {
    String name = type.getFullName();
    return name.startsWith(PACKAGE)
        ? BY_NAME.getOrDefault(name.substring(PACKAGE.length()), NONE)
        : NONE;
  }

  static boolean isNull(EnumDescriptor type) {
    return type.getFullName().equals("google.protobuf.NullValue");
  }

  static FieldDescriptor field(Message message, int number) {
    return message.getDescriptorForType().findFieldByNumber(number);
  }

  /** Returns the text of a Timestamp. */
  static String time(Message value) throws IOException {
    long seconds = (Long) value.getField(field(value, 1));
    int nanos = (Integer) value.getField(field(value, 2));
    if (seconds < MIN_SECOND || seconds > MAX_SECOND || nanos < 0 || nanos >= NANOS_PER_SECOND) {
      throw new IOException("a Timestamp is out of range");
    }
    return Instant.ofEpochSecond(seconds, nanos).toString();
  }

  /** Returns the text of a Duration. */
  static String duration(Message value) throws IOException {
    long seconds = (Long) value.getField(field(value, 1));
    int nanos = (Integer) value.getField(field(value, 2));
    if (Math.abs(seconds) > MAX_DURATION
        || Math.abs((long) nanos) >= NANOS_PER_SECOND
        || Math.signum((double) seconds) * nanos < 0) {
      throw new IOException("a Duration is out of range");
    }
    String sign = seconds < 0 || nanos < 0 ? "-" : "";
    String fraction = nanos == 0 ? "" : "." + digits(Math.abs(nanos));
    return sign + Math.abs(seconds) + fraction + 's';
  }

  /** Returns 3, 6 or 9 digits. */
  private static String digits(int nanos) {
    String all = String.format("%09d", nanos);
    int end = MAX_FRACTION;
    while (all.startsWith("000", end - 3)) {
      end -= 3;
    }
    return all.substring(0, end);
  }

  /** Returns the text of a FieldMask. */
  static String paths(Message value) {
    List<String> paths = new ArrayList<>();
    for (Object path : (List<?>) value.getField(field(value, 1))) {
      Matcher matcher = Pattern.compile("_([a-z])").matcher((String) path);
      paths.add(matcher.replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT)));
    }
    return String.join(",", paths);
  }

  /** Returns the message of a text: a time, a duration or a mask. */
  DynamicMessage parse(Descriptor type, String text, String path) throws Mismatch {
    try {
      return switch (this) {
        case TIME -> parseTime(type, text);
        case DURATION -> parseDuration(type, text);
        default -> parsePaths(type, text);
      };
    } catch (DateTimeException e) {
      throw new Mismatch(path, "is no " + type.getFullName() + ": " + text);
    }
  }

  private static DynamicMessage parseTime(Descriptor type, String text) {
    Instant time = Instant.parse(text);
    if (time.getEpochSecond() < MIN_SECOND || time.getEpochSecond() > MAX_SECOND) {
      throw new DateTimeException("out of range");
    }
    return pair(type, time.getEpochSecond(), time.getNano());
  }

  private static DynamicMessage parseDuration(Descriptor type, String text) {
    Matcher parts = DURATION_TEXT.matcher(text);
    if (!parts.matches() || Long.parseLong(parts.group(2)) > MAX_DURATION) {
      throw new DateTimeException("malformed");
    }
    int sign = parts.group(1).isEmpty() ? 1 : -1;
    String fraction = parts.group(3) == null ? "" : parts.group(3);
    int nanos = Integer.parseInt(fraction + "0".repeat(MAX_FRACTION - fraction.length()));
    return pair(type, sign * Long.parseLong(parts.group(2)), sign * nanos);
  }

  private static DynamicMessage pair(Descriptor type, long seconds, int nanos) {
    return DynamicMessage.newBuilder(type)
        .setField(type.findFieldByNumber(1), seconds)
        .setField(type.findFieldByNumber(2), nanos)
        .build();
  }

  private static DynamicMessage parsePaths(Descriptor type, String text) {
    DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
    for (String path : text.isEmpty() ? new String[0] : text.split(",")) {
      Matcher matcher = Pattern.compile("[A-Z]").matcher(path);
      message.addRepeatedField(
          type.findFieldByNumber(1),
          matcher.replaceAll(letter -> "_" + letter.group().toLowerCase(Locale.ROOT)));
    }
    return message.build();
  }
}
