package io.sluice.gateway.protocol;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Payloads of {@link CompressionData} for other packages. Bound to one thread. */
public final class CompressionPayloads {
  private CompressionPayloads() {}

  /** Returns the names of the data sets. */
  public static List<String> names() {
    return Arrays.stream(CompressionData.values()).map(CompressionPayloads::name).toList();
  }

  private static String name(CompressionData data) {
    return data.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the endless payloads of a data set. */
  public static Stream<String> of(String name) {
    CompressionData data =
        Arrays.stream(CompressionData.values())
            .filter(each -> name(each).equals(name))
            .findFirst()
            .orElseThrow();
    data.bid = 10_000;
    Random random = new Random(26);
    return LongStream.iterate(1, number -> number + 1)
        .mapToObj(number -> data.text(random, number));
  }
}
