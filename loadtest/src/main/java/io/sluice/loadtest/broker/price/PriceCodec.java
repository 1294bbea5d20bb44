package io.sluice.loadtest.broker.price;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Compact binary encoding of price updates: time, symbol with its length, and two lists of levels
 * with their lengths. Stateless, for any thread.
 */
public final class PriceCodec {
  /** Number of bytes of a level. */
  static final int LEVEL_BYTES = 2 * Long.BYTES;

  private static final int FIXED_BYTES = Long.BYTES + 1 + 2 * Short.BYTES;
  private static final int MAX_LEVELS = 0xffff;
  private static final int MAX_SYMBOL = 0xff;

  private PriceCodec() {}

  /** Returns the size of an encoded update in bytes. */
  static int size(int symbolLength, int levels) {
    return FIXED_BYTES + symbolLength + levels * LEVEL_BYTES;
  }

  /**
   * Returns the encoded update, preceded by a number of unused bytes.
   *
   * @throws IllegalArgumentException if the symbol or a list is too long
   */
  public static byte[] encode(PriceUpdate update, int offset) {
    byte[] symbol = update.symbol().getBytes(StandardCharsets.ISO_8859_1);
    int bids = update.bids().size();
    int offers = update.offers().size();
    if (symbol.length > MAX_SYMBOL || bids > MAX_LEVELS || offers > MAX_LEVELS) {
      throw new IllegalArgumentException(
          "symbol of %d characters, %d bids, %d offers: expected at most %d, %d and %d"
              .formatted(symbol.length, bids, offers, MAX_SYMBOL, MAX_LEVELS, MAX_LEVELS));
    }
    byte[] bytes = new byte[offset + size(symbol.length, bids + offers)];
    ByteBuffer out = ByteBuffer.wrap(bytes).position(offset);
    out.putLong(update.time()).put((byte) symbol.length).put(symbol);
    write(out, update.bids());
    write(out, update.offers());
    return bytes;
  }

  private static void write(ByteBuffer out, List<PriceLevel> levels) {
    out.putShort((short) levels.size());
    for (PriceLevel level : levels) {
      out.putLong(level.price()).putLong(level.quantity());
    }
  }

  /**
   * Returns the update encoded from an index to the end.
   *
   * @throws IllegalArgumentException if the bytes are no update
   */
  public static PriceUpdate decode(byte[] bytes, int offset) {
    if (offset > bytes.length) {
      throw invalid(bytes.length - offset);
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).position(offset);
    try {
      long time = in.getLong();
      byte[] symbol = new byte[in.get() & MAX_SYMBOL];
      in.get(symbol);
      String name = new String(symbol, StandardCharsets.ISO_8859_1);
      PriceUpdate update = new PriceUpdate(name, time, levels(in), levels(in));
      if (in.hasRemaining()) {
        throw invalid(bytes.length - offset);
      }
      return update;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException(invalid(bytes.length - offset).getMessage(), e);
    }
  }

  private static List<PriceLevel> levels(ByteBuffer in) {
    int count = in.getShort() & MAX_LEVELS;
    if (count * LEVEL_BYTES > in.remaining()) {
      throw new BufferUnderflowException();
    }
    List<PriceLevel> levels = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      levels.add(new PriceLevel(in.getLong(), in.getLong()));
    }
    return levels;
  }

  private static IllegalArgumentException invalid(int length) {
    return new IllegalArgumentException(length + " bytes are no price update");
  }
}
