package io.sluice.gateway.link;

import io.vertx.core.buffer.Buffer;

/** Value of a property with its type, in a record of a link. Stateless, for any thread. */
enum TypedValue {
  TEXT(String.class),
  BOOLEAN(Boolean.class),
  BYTE(Byte.class),
  SHORT(Short.class),
  INT(Integer.class),
  LONG(Long.class),
  FLOAT(Float.class),
  DOUBLE(Double.class);

  private static final TypedValue[] VALUES = values();

  private final Class<?> type;

  TypedValue(Class<?> type) {
    this.type = type;
  }

  static void write(Object value, Buffer out) {
    for (TypedValue each : VALUES) {
      if (each.type.isInstance(value)) {
        out.appendByte((byte) each.ordinal());
        LinkCodec.text(value.toString(), out);
        return;
      }
    }
    throw new IllegalArgumentException("property of type " + value.getClass().getName());
  }

  static Object read(LinkCodec.Reader in) {
    TypedValue type = VALUES[in.byteValue()];
    String text = in.required();
    return switch (type) {
      case TEXT -> text;
      case BOOLEAN -> Boolean.valueOf(text);
      case BYTE -> Byte.valueOf(text);
      case SHORT -> Short.valueOf(text);
      case INT -> Integer.valueOf(text);
      case LONG -> Long.valueOf(text);
      case FLOAT -> Float.valueOf(text);
      case DOUBLE -> Double.valueOf(text);
    };
  }
}
