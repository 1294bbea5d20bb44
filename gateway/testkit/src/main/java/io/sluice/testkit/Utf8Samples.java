package io.sluice.testkit;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Samples of valid and invalid UTF-8. Stateless. */
public final class Utf8Samples {
  private Utf8Samples() {}

  public static Stream<byte[]> valid() {
    Stream<String> texts =
        Stream.of(
            "",
            "Grüße aus Köln",
            "ξεσκεπάζω την ψυχοφθόρα σας βδελυγμία",
            "水平線の向こう",
            "mixed ä水\uD83D\uDE80 and eight ASCII bytes behind it",
            "\u0000\u007F");
    // The first and the last of each length, the neighbours of the surrogates, noncharacters.
    Stream<String> edges =
        Stream.of(
                0x00, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000,
                0xFDD0, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x1FFFE, 0x1FFFF, 0x3FFFF, 0x40000,
                0xFFFFF, 0x100000, 0x10FFFE, 0x10FFFF)
            .map(Character::toString);
    return Stream.concat(texts, edges).map(text -> text.getBytes(StandardCharsets.UTF_8));
  }

  public static Stream<byte[]> invalid() {
    Stream<String> bare =
        Stream.of(
            // Continuations without a start, starts without continuation.
            "80",
            "bf",
            "8080",
            "80bf80bf80bf",
            "c2",
            "c220",
            "df",
            "e0",
            "e0a0",
            "e0a020",
            "ef",
            "efbf",
            "efbf20",
            "f0",
            "f090",
            "f09080",
            "f0908020",
            "f4",
            "f48fbf",
            "c2c2",
            "e1c2a0",
            // Bytes that never occur.
            "c0",
            "c1",
            "f5",
            "f6",
            "f7",
            "f8",
            "fc",
            "fe",
            "ff",
            "feff",
            "fffe",
            // Overlong encodings.
            "c080",
            "c0af",
            "c1bf",
            "e08080",
            "e080af",
            "e09fbf",
            "f0808080",
            "f08080af",
            "f08fbfbf",
            "f880808080",
            "f8808080af",
            "f887bfbfbf",
            "fc8080808080",
            "fc80808080af",
            "fc83bfbfbfbf",
            // Surrogates, one and in pairs.
            "eda080",
            "edadbf",
            "edae80",
            "edafbf",
            "edb080",
            "edbe80",
            "edbfbf",
            "eda080edb080",
            "edadbfedbfbf",
            "edafbfedb080",
            // Past U+10FFFF.
            "f4908080",
            "f490bfbf",
            "f7bfbfbf",
            "f888808080",
            "fbbfbfbfbf",
            "fc8480808080",
            "fdbfbfbfbfbf");
    return bare.flatMap(hex -> Stream.of(hex, "48c3a46c6c6f" + hex, "6162636465666768" + hex))
        .map(Utf8Samples::bytes);
  }

  /** Valid beginnings of texts, each with an invalid next byte. */
  public static Stream<Arguments> impossibleBytes() {
    return Stream.of(
            "cebae1bdb9cf83cebcceb5 f490",
            "cebae1bdb9cf83cebcceb5 eda0",
            "616263 ff",
            "616263 80",
            "e0 9f",
            "ed a0",
            "f0 8f",
            "f4 90",
            "e1bf 41",
            "f09f9a c3",
            "c3 c3")
        .map(line -> line.split(" "))
        .map(parts -> Arguments.of(bytes(parts[0]), bytes(parts[1])));
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }
}
