package io.sluice.gateway.broker.registry;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;

/**
 * Texts of logical types of Avro: decimals as digits, dates and times as ISO 8601. Stateless, for
 * any thread.
 */
final class AvroLogical {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final LocalDateTime EPOCH = LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC);

  private AvroLogical() {}

  /** Returns the text of bytes or a fixed; null if they have no logical type with one. */
  static String text(LogicalType type, byte[] value) {
    return type instanceof LogicalTypes.Decimal decimal && value.length > 0
        ? new BigDecimal(new BigInteger(value), decimal.getScale()).toPlainString()
        : null;
  }

  /** Returns the text of an int or a long; null if it has no logical type with one. */
  static String text(LogicalType type, long value) {
    ChronoUnit unit = unit(type);
    if (unit == null) {
      return null;
    }
    if (unit == ChronoUnit.DAYS) {
      return LocalDate.ofEpochDay(value).toString();
    }
    if (isTime(type)) {
      long nanos = Math.multiplyExact(value, unit.getDuration().toNanos());
      return DateTimeFormatter.ISO_LOCAL_TIME.format(LocalTime.ofNanoOfDay(nanos));
    }
    return isLocal(type)
        ? DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(EPOCH.plus(value, unit))
        : Instant.EPOCH.plus(value, unit).toString();
  }

  /** Returns what a decimal accepts, for messages. */
  static String decimalName(LogicalType type) {
    LogicalTypes.Decimal decimal = (LogicalTypes.Decimal) type;
    return "a decimal of at most %d digits, %d of them after the point"
        .formatted(decimal.getPrecision(), decimal.getScale());
  }

  /**
   * Returns the bytes of a decimal.
   *
   * @return null if the type has none
   * @throws ArithmeticException if the number has more digits than the type
   * @throws NumberFormatException if the text is not a number
   */
  static byte[] decimal(LogicalType type, String text) {
    if (!(type instanceof LogicalTypes.Decimal decimal)) {
      return null;
    }
    BigDecimal number = JsonTree.number(text).setScale(decimal.getScale());
    if (number.precision() > decimal.getPrecision()) {
      throw new ArithmeticException("more digits than " + decimal.getPrecision());
    }
    return number.unscaledValue().toByteArray();
  }

  /**
   * Returns the number of a text.
   *
   * @return null if the type has no texts
   * @throws DateTimeException if the text is malformed
   * @throws ArithmeticException if it is out of range
   */
  static Long number(LogicalType type, String text) {
    ChronoUnit unit = unit(type);
    if (unit == null) {
      return null;
    }
    if (unit == ChronoUnit.DAYS) {
      return LocalDate.parse(text).toEpochDay();
    }
    if (isTime(type)) {
      return LocalTime.parse(text).toNanoOfDay() / unit.getDuration().toNanos();
    }
    Instant time =
        isLocal(type) ? LocalDateTime.parse(text).toInstant(ZoneOffset.UTC) : Instant.parse(text);
    long unitNanos = unit.getDuration().toNanos();
    long units = Math.multiplyExact(time.getEpochSecond(), NANOS_PER_SECOND / unitNanos);
    return Math.addExact(units, time.getNano() / unitNanos);
  }

  private static boolean isTime(LogicalType type) {
    return type.getName().startsWith("time-");
  }

  private static boolean isLocal(LogicalType type) {
    return type.getName().startsWith("local-");
  }

  private static ChronoUnit unit(LogicalType type) {
    return switch (type == null ? "" : type.getName()) {
      case "date" -> ChronoUnit.DAYS;
      case "time-millis", "timestamp-millis", "local-timestamp-millis" -> ChronoUnit.MILLIS;
      case "time-micros", "timestamp-micros", "local-timestamp-micros" -> ChronoUnit.MICROS;
      case "timestamp-nanos", "local-timestamp-nanos" -> ChronoUnit.NANOS;
      default -> null;
    };
  }
}
