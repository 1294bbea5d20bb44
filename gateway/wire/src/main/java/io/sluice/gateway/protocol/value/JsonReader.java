package io.sluice.gateway.protocol.value;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;

/**
 * Parsers for all JSON that the node receives, from any source. A document is bounded in depth, in
 * length, and in the length of its names and numbers; a name must not occur twice in an object.
 * Stateless, for any thread.
 */
public final class JsonReader {
  /** Largest nesting depth. */
  public static final int MAX_DEPTH = 32;

  /** Maximum characters of a name. */
  static final int MAX_NAME = 16_384;

  /** Maximum characters of a number. */
  static final int MAX_NUMBER = 64;

  /** Maximum length of a document, that of the largest message that the configuration allows. */
  private static final int MAX_LENGTH = 1 << 30;

  /**
   * The node's only factory, also of its generators. It neither interns nor caches names: others
   * choose them, so that a cache would cost an event loop more than parsing, and fill memory that
   * all documents share.
   */
  static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNameLength(MAX_NAME)
                  .maxNumberLength(MAX_NUMBER)
                  .maxStringLength(MAX_LENGTH)
                  .maxDocumentLength(MAX_LENGTH)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
          .build();

  private JsonReader() {}

  /** Returns a parser of a document in UTF-8. */
  public static JsonParser parser(byte[] utf8) throws IOException {
    checkLength(utf8.length);
    return JSON.createParser(utf8);
  }

  /** Returns a parser of a document. */
  public static JsonParser parser(String text) throws IOException {
    checkLength(text.length());
    return JSON.createParser(text);
  }

  private static void checkLength(int length) throws StreamConstraintsException {
    if (length > MAX_LENGTH) {
      throw new StreamConstraintsException(
          "length " + length + " exceeds the maximum of a document (" + MAX_LENGTH + ")");
    }
  }
}
