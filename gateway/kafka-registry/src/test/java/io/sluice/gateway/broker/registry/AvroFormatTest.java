package io.sluice.gateway.broker.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.util.RandomData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of Avro values. Their bytes without another source are from the specification. */
final class AvroFormatTest {
  private static final String RICH =
      """
      {"type":"record","name":"Rich","fields":[
        {"name":"flag","type":"boolean"},{"name":"i","type":"int"},{"name":"l","type":"long"},
        {"name":"f","type":"float"},{"name":"d","type":"double"},{"name":"s","type":"string"},
        {"name":"b","type":"bytes"},{"name":"x","type":{"type":"fixed","name":"Four","size":4}},
        {"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}},
        {"name":"list","type":{"type":"array","items":["null","double"]}},
        {"name":"map","type":{"type":"map","values":"long"}},
        {"name":"next","type":["null","Rich"]},
        {"name":"any","type":["null","boolean","long","string",{"type":"array","items":"int"}]}]}
      """;

  private static AvroFormat format(String schema, String... references) throws UnusableSchema {
    return AvroFormat.of(schema, List.of(references));
  }

  private static AvroFormat field(String type) throws UnusableSchema {
    return format(
        "{'type':'record','name':'R','fields':[{'name':'a','type':%s}]}"
            .replace('\'', '"')
            .formatted(type.replace('\'', '"')));
  }

  @Test
  void shouldReadAndWriteTheExampleOfTheSpecification() throws Exception {
    AvroFormat format =
        format(
            "{\"type\":\"record\",\"name\":\"test\",\"fields\":[{\"name\":\"a\",\"type\":\"long\"},"
                + "{\"name\":\"b\",\"type\":\"string\"}]}");
    assertThat(Values.json(format, "36 06 66 6f 6f")).isEqualTo("{\"a\":27,\"b\":\"foo\"}");
    assertThat(Values.hex(format, "{\"b\":\"foo\",\"a\":27}")).isEqualTo("3606666f6f");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'long' | 8001 | 64",
        "'long' | feffffffffffffffff01 | \"9223372036854775807\"",
        "'long' | 8280808080808020 | \"9007199254740993\"",
        "'double' | 000000000000f87f | \"NaN\"",
        "'float' | cdcccc3d | 0.1",
        "'bytes' | 0400ff | \"AP8=\"",
        "['null','string'] | 00 | null",
        "['null','string'] | 020261 | \"a\"",
        "{'type':'array','items':'long'} | 04063600 | [3,27]",
        "{'type':'map','values':'int'} | 0202610200 | {\"a\":1}",
        "{'type':'enum','name':'E','symbols':['A','B']} | 02 | \"B\"",
        "{'type':'bytes','logicalType':'decimal','precision':6,'scale':2} | 0404ce | \"12.30\"",
        "{'type':'bytes','logicalType':'decimal','precision':6,'scale':2} | 02ff | \"-0.01\"",
        "{'type':'fixed','size':3,'name':'F','logicalType':'decimal','precision':6,'scale':2}"
            + " | fffb32 | \"-12.30\"",
        "{'type':'int','logicalType':'date'} | e6c402 | \"2026-11-30\"",
        "{'type':'int','logicalType':'time-millis'} | c0d4ad34 | \"15:15:00\"",
        "{'type':'long','logicalType':'time-micros'} | 02 | \"00:00:00.000001\"",
        "{'type':'long','logicalType':'timestamp-millis'} | 01 | \"1969-12-31T23:59:59.999Z\"",
        "{'type':'long','logicalType':'timestamp-micros'} | 8080b9c4d285dd06"
            + " | \"2030-01-01T00:00:00Z\"",
        "{'type':'long','logicalType':'local-timestamp-millis'} | d00f"
            + " | \"1970-01-01T00:00:01\"",
        "{'type':'string','logicalType':'uuid'} | 0261 | \"a\""
      })
  void shouldReadAndWrite(String type, String hex, String json) throws Exception {
    AvroFormat format = field(type);
    assertThat(Values.json(format, hex)).isEqualTo("{\"a\":" + json + '}');
    assertThat(Values.hex(format, "{\"a\":" + json + '}')).isEqualTo(hex);
  }

  @Test
  void shouldReadASchemaThatRefersToOthers() throws Exception {
    AvroFormat format =
        format(
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"x.In\"}]}",
            "{\"type\":\"enum\",\"name\":\"x.In\",\"symbols\":[\"ON\"]}");
    assertThat(Values.json(format, "00")).isEqualTo("{\"a\":\"ON\"}");
    assertThatThrownBy(() -> format("[\"null\",\"x.Absent\"]"))
        .isInstanceOf(UnusableSchema.class)
        .hasMessageContaining("x.Absent");
  }

  @Test
  void shouldUseDefaultsForMissingFields() throws Exception {
    AvroFormat format =
        format(
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":["
                + "{\"name\":\"a\",\"type\":[\"null\",\"long\"],\"default\":null},"
                + "{\"name\":\"b\",\"type\":\"int\",\"default\":7}]}");
    assertThat(Values.hex(format, "{}")).isEqualTo("000e");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'long' | {} | /a is missing, and has no default",
        "'long' | {\"a\":1,\"b\":2} | /b is no field of R",
        "'long' | {\"a\":\"x\"} | /a must be a number, not \"x\"",
        "'int' | {\"a\":2147483648} | /a must be an int, not 2147483648",
        "'int' | {\"a\":1e999999999} | /a must be an int, not 1E+999999999",
        "'long' | {\"a\":1.5} | /a must be a long, not 1.5",
        "'boolean' | {\"a\":null} | /a must be true or false, not null",
        "'bytes' | {\"a\":\"????\"} | /a is not base64: Illegal base64 character 3f",
        "{'type':'fixed','size':3,'name':'F'} | {\"a\":\"AP8=\"} | /a has 2 bytes instead of 3",
        "{'type':'array','items':'string'} | {\"a\":[\"x\",1]} | /a/1 must be a string, not 1",
        "{'type':'map','values':'string'} | {\"a\":{\"k\":1}} | /a/k must be a string, not 1",
        "{'type':'enum','name':'E','symbols':['A']} | {\"a\":\"B\"}"
            + " | /a must be one of [A], not \"B\"",
        "['null','int'] | {\"a\":\"x\"} | /a must be one of [null, int], not \"x\"",
        "{'type':'int','logicalType':'date'} | {\"a\":\"2026-13-01\"}"
            + " | /a must be a date of ISO 8601, not \"2026-13-01\"",
        "{'type':'bytes','logicalType':'decimal','precision':4,'scale':2} | {\"a\":\"123.45\"}"
            + " | /a must be a decimal of at most 4 digits, 2 of them after the point",
        "{'type':'bytes','logicalType':'decimal','precision':4,'scale':2} | {\"a\":1e999999999}"
            + " | /a must be a decimal number",
        "'long' | [] | the payload must be an object"
      })
  void shouldRefuseJsonThatDoesNotMatch(String type, String json, String message) throws Exception {
    AvroFormat format = field(type);
    assertThatThrownBy(() -> Values.bytes(format, json))
        .isInstanceOf(Mismatch.class)
        .hasMessageStartingWith(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'long' | 80", // ends
        "'long' | 0000", // bytes follow
        "'string' | 80808080808001", // ends before its length
        "['null'] | 02", // no such branch
        "{'type':'enum','name':'E','symbols':['A']} | 04",
        "{'type':'map','values':'int'} | 040261020261020000", // a name twice
        "{'type':'int','logicalType':'time-millis'} | feffffff0f"
      })
  void shouldReportMalformedValues(String type, String hex) throws Exception {
    AvroFormat format = field(type);
    assertThatThrownBy(() -> Values.json(format, hex)).isInstanceOf(Exception.class);
  }

  /** A few bytes describe 2^31 items that need no further bytes. */
  @Test
  void shouldStopAtTheLimitOfTheOutput() throws Exception {
    AvroFormat format = field("{'type':'array','items':'null'}");
    assertThatThrownBy(() -> Values.json(format, "d8ffffff0f"))
        .isInstanceOf(LimitedBytes.Exceeded.class);
  }

  @Test
  void shouldStopAtTheMaximumDepth() throws Exception {
    AvroFormat format =
        format(
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":["
                + "{\"name\":\"r\",\"type\":[\"null\",\"R\"]}]}");
    assertThat(Values.json(format, "02".repeat(30) + "00")).startsWith("{\"r\":{\"r\":");
    assertThatThrownBy(() -> Values.json(format, "02".repeat(60) + "00"))
        .hasMessage("more than 32 nested values");
  }

  @Test
  void shouldReadWhatItWrites() throws Exception {
    Schema schema = new Schema.Parser().parse(RICH);
    AvroFormat format = format(RICH);
    long seed = new Random().nextLong();
    for (Object datum : new RandomData(schema, 300, seed)) {
      byte[] value = encode(schema, datum);
      try {
        String json = Values.json(format, value, Long.MAX_VALUE);
        assertThat(Values.json(format, Values.bytes(format, json), Long.MAX_VALUE))
            .as("seed %d", seed)
            .isEqualTo(json);
      } catch (IOException e) {
        assertThat(e).as("seed %d", seed).hasMessage("more than 32 nested values");
      }
    }
  }

  private static byte[] encode(Schema schema, Object datum) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    new GenericDatumWriter<>(schema).write(datum, encoder);
    encoder.flush();
    return bytes.toByteArray();
  }
}
