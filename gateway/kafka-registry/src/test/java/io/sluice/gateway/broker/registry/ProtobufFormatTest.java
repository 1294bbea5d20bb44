package io.sluice.gateway.broker.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.util.JsonFormat;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of Protobuf values. Bytes without another source are from Protobuf's documentation. */
final class ProtobufFormatTest {
  private static final String RICH =
      """
      syntax = "proto3";
      message Rich {
        int32 i32 = 1; sint32 s32 = 2; uint32 u32 = 3; fixed32 x32 = 4; sfixed32 sx32 = 5;
        int64 i64 = 6; sint64 s64 = 7; uint64 u64 = 8; fixed64 x64 = 9; sfixed64 sx64 = 10;
        float f = 11; double d = 12; bool b = 13; string text_field = 14; bytes raw = 15;
        optional int32 maybe = 16;
        repeated int32 numbers = 17;
        repeated Rich children = 18;
        map<string, int64> by_name = 19;
        map<bool, Rich> by_flag = 20;
        map<uint64, Color> by_number = 21;
        oneof choice { string left = 22; Rich right = 23; Color color = 24; }
        enum Color { RED = 0; GREEN = 1; NEGATIVE = -1; }
      }
      """;

  private static ProtobufFormat format(String text) throws UnusableSchema {
    return ProtobufFormat.of(text, Map.of());
  }

  /** Returns the format of a message with one field of a type, in proto3. */
  private static ProtobufFormat field(String type) throws UnusableSchema {
    String text =
        """
        syntax = "proto3";
        import "google/protobuf/any.proto";
        import "google/protobuf/duration.proto";
        import "google/protobuf/field_mask.proto";
        import "google/protobuf/struct.proto";
        import "google/protobuf/timestamp.proto";
        import "google/protobuf/wrappers.proto";
        message M { %s a = 1; enum E { Z = 0; ONE = 1; } }
        """;
    return format(text.formatted(type));
  }

  @Test
  void shouldReadAndWriteTheExamplesOfTheDocumentation() throws Exception {
    ProtobufFormat first = format("syntax='proto3'; message Test1 { int32 a = 1; }");
    assertThat(Values.json(first, "00 08 96 01")).isEqualTo("{\"a\":150}");
    assertThat(Values.hex(first, "{\"a\":150}")).isEqualTo("00089601");

    ProtobufFormat second = format("message Test2 { optional string b = 2; }");
    assertThat(Values.json(second, "00 12 07 74 65 73 74 69 6e 67"))
        .isEqualTo("{\"b\":\"testing\"}");
    assertThat(Values.hex(second, "{\"b\":\"testing\"}")).isEqualTo("00120774657374696e67");

    ProtobufFormat third =
        format("message Test3 { optional Test1 c = 3; message Test1 { required int32 a = 1; } }");
    assertThat(Values.json(third, "00 1a 03 08 96 01")).isEqualTo("{\"c\":{\"a\":150}}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "int64 | 0801 | \"1\"",
        "uint64 | 08ffffffffffffffffff01 | \"18446744073709551615\"",
        "uint32 | 08ffffffff0f | 4294967295",
        "double | 09000000000000f87f | \"NaN\"",
        "bytes | 0a0200ff | \"AP8=\"",
        "E | 0801 | \"ONE\"",
        "E | 0807 | 7",
        "google.protobuf.Timestamp | 0a020801 | \"1970-01-01T00:00:01Z\"",
        "google.protobuf.Duration | 0a0808011080cab5ee01 | \"1.500s\"",
        "google.protobuf.Duration | 0a0b10ffffffffffffffffff01 | \"-0.000000001s\"",
        "google.protobuf.Timestamp | 0a0808011080cab5ee01 | \"1970-01-01T00:00:01.500Z\"",
        "google.protobuf.FieldMask | 0a050a03615f62 | \"aB\"",
        "google.protobuf.Int64Value | 0a020805 | \"5\"",
        "google.protobuf.StringValue | 0a00 | \"\"",
        "google.protobuf.Value | 0a020800 | null",
        "google.protobuf.ListValue | 0a040a022001 | [true]",
        "google.protobuf.Struct | 0a090a070a016b12022001 | {\"k\":true}"
      })
  void shouldReadAndWrite(String type, String hex, String json) throws Exception {
    ProtobufFormat format = field(type);
    assertThat(Values.json(format, "00" + hex)).isEqualTo("{\"a\":" + json + '}');
    if (!json.equals("7")) { // an enum that the schema lacks
      assertThat(Values.hex(format, "{\"a\":" + json + '}')).isEqualTo("00" + hex);
    }
  }

  /** As Confluent's serializer writes them: zigzag, and 0 for the first message. */
  @Test
  void shouldFindTheMessageByItsIndexes() throws Exception {
    ProtobufFormat format =
        format(
            """
            syntax = "proto3";
            message A { map<string, int32> m = 1; message B { int32 b = 1; } message C { int32 c = 1; } }
            message D { int32 d = 1; }
            """);
    assertThat(Values.json(format, "00")).isEqualTo("{\"m\":{}}");
    assertThat(Values.json(format, "02 02 08 01")).isEqualTo("{\"d\":1}");
    assertThat(Values.json(format, "04 00 00 08 01")).isEqualTo("{\"b\":1}");
    assertThat(Values.json(format, "04 00 02 08 01")).isEqualTo("{\"c\":1}");
    assertThatThrownBy(() -> Values.json(format, "04 02 00"))
        .hasMessage("the schema has no message 0");
    assertThatThrownBy(() -> Values.json(format, "01"))
        .hasMessage("it has -1 indexes of a message");
  }

  @Test
  void shouldReadFilesThatImportOthers() throws Exception {
    ProtobufFormat format =
        ProtobufFormat.of(
            """
            syntax = "proto3";
            package shop;
            import "confluent/meta.proto";
            import "base/money.proto";
            import "confluent/type/decimal.proto";
            message Order {
              option (confluent.message_meta) = { doc: "a; } b" };
              base.Money total = 1;
              confluent.type.Decimal rate = 2;
            }
            """,
            Map.of(
                "base/money.proto",
                "syntax = 'proto3'; package base; import public 'base/unit.proto';"
                    + " message Money { Unit unit = 1; }",
                "base/unit.proto",
                "syntax = 'proto3'; package base; enum Unit { EUR = 0; USD = 1; }"));
    assertThat(Values.json(format, "00 0a 02 08 01")).isEqualTo("{\"total\":{\"unit\":\"USD\"}}");
    assertThatThrownBy(() -> format("import 'x.proto'; message M {}"))
        .isInstanceOf(UnusableSchema.class)
        .hasMessage("it imports x.proto, which is no reference");
  }

  @Test
  void shouldParseAllStatements() throws Exception {
    ProtobufFormat format =
        format(
            """
            // Order of a shop: "quoted"
            syntax = "proto2";
            package a.b;
            option java_package = "x";
            option (custom).opt = { a: 1 b { c: "}" } };
            /* block ; { */
            message M {
              extensions 100 to 199 [declaration = { number: 100 }];
              reserved 50, 60 to 70; reserved "old";
              required int32 id = 0x1 [deprecated = true, (x.y) = { z: [1, 2] }];
              optional string name = 2 [default = "a]b", json_name = "title"];
              repeated int32 packed = 3 [packed = true];
              repeated group Item = 4 { optional .a.b.M.State state = 1; }
              oneof kind { option (o) = 1; bool yes = 5; group No = 6 { optional int32 why = 1; } }
              optional E.Inner inner = 7;
              enum State { option allow_alias = true; ON = 0; AN = 0; OFF = 1 [(x) = 1]; reserved 9; }
              message E { enum Inner { IN = 0; } }
              extend Other { optional int32 x = 100; }
              ;
            }
            message Other { extensions 100 to max; }
            service S { rpc Call (M) returns (stream M) { option (http) = { get: "/" }; } }
            """);
    assertThat(Values.json(format, "00 08 05 12 01 78 1a 02 01 02 23 08 01 24 33 08 02 34 38 00"))
        .isEqualTo(
            "{\"id\":5,\"title\":\"x\",\"packed\":[1,2],\"item\":[{\"state\":\"OFF\"}],"
                + "\"no\":{\"why\":2},\"inner\":\"IN\"}");
    assertThatThrownBy(() -> Values.bytes(format, "{\"title\":\"x\"}"))
        .hasMessage("/id is missing");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "message",
        "message M {",
        "message M { int32 a = ; }",
        "message M { Unknown a = 1; }",
        "message M { int32 a = 1; int32 b = 1; }",
        "something M;",
        "syntax = proto3;",
        "edition = \"1\";",
        "message M { /* open",
        "§"
      })
  void shouldReportMalformedFiles(String text) {
    assertThatThrownBy(() -> format(text)).isInstanceOf(UnusableSchema.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "int32 | {\"b\":1} | /b is no field of M",
        "int32 | {\"a\":\"x\"} | /a must be an int32, not \"x\"",
        "uint32 | {\"a\":-1} | /a must be a uint32, not -1",
        "uint64 | {\"a\":1e20} | /a must be a uint64, not 1E+20",
        "uint64 | {\"a\":1e999999999} | /a must be a uint64, not 1E+999999999",
        "bool | {\"a\":1} | /a must be true or false, not 1",
        "bytes | {\"a\":\"????\"} | /a is not base64: Illegal base64 character 3f",
        "E | {\"a\":\"TWO\"} | /a must be a value of M.E, not \"TWO\"",
        "repeated int32 | {\"a\":[1,null]} | /a/1 must be an int32, not null",
        "map<string,M> | {\"a\":{\"k\":{\"a\":1}}} | /a/k/a must be an object, not 1",
        "google.protobuf.Timestamp | {\"a\":\"now\"} | /a is no google.protobuf.Timestamp: now",
        "google.protobuf.Any | {\"a\":{\"@type\":\"x/y\"}} | /a has an unknown @type x/y",
        "int32 | [] | the payload must be an object, not []"
      })
  void shouldRefuseJsonThatDoesNotMatch(String type, String json, String message) throws Exception {
    ProtobufFormat format = field(type);
    assertThatThrownBy(() -> Values.bytes(format, json))
        .isInstanceOf(Mismatch.class)
        .hasMessage(message);
  }

  @Test
  void shouldReadAndWriteAny() throws Exception {
    ProtobufFormat format = field("google.protobuf.Any");
    for (String json :
        List.of(
            "{\"a\":{\"@type\":\"t/M\",\"a\":{\"@type\":\"t/google.protobuf.BoolValue\",\"value\":true}}}",
            "{\"a\":{\"@type\":\"t/google.protobuf.Duration\",\"value\":\"1s\"}}")) {
      assertThat(Values.json(format, Values.bytes(format, json))).isEqualTo(json);
    }
    assertThat(Values.json(format, "00 0a 06 0a 01 78 12 01 01"))
        .isEqualTo("{\"a\":{\"@type\":\"x\",\"value\":\"AQ==\"}}");
  }

  @Test
  void shouldStopAtTheMaximumDepth() throws Exception {
    ProtobufFormat format = format("message M { optional group G = 1 { optional M m = 2; } }");
    assertThatThrownBy(() -> Values.json(format, "00" + "0b".repeat(120)))
        .isInstanceOf(java.io.IOException.class);
    ProtobufFormat list = field("google.protobuf.ListValue");
    String json = "{\"a\":" + "[".repeat(28) + "]".repeat(28) + '}';
    assertThat(Values.json(list, Values.bytes(list, json))).isEqualTo(json);
  }

  /** Compares both directions with the library's, which knows no path of a mismatch. */
  @Test
  void shouldConvertAsTheLibraryDoes() throws Exception {
    ProtobufFormat format = format(RICH);
    FileDescriptorProto proto = ProtoParser.parse("rich.proto", RICH);
    Descriptor type =
        FileDescriptor.buildFrom(proto, new FileDescriptor[0]).getMessageTypes().get(0);
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 300; i++) {
      DynamicMessage message = message(type, random, 3);
      ByteArrayOutputStream value = new ByteArrayOutputStream();
      value.write(0);
      message.writeTo(value);
      String json = Values.json(format, value.toByteArray(), Long.MAX_VALUE);
      DynamicMessage.Builder parsed = DynamicMessage.newBuilder(type);
      JsonFormat.parser().merge(json, parsed);
      assertThat(parsed.build()).as("seed %d", seed).isEqualTo(message);
      byte[] again =
          Values.bytes(
              format, JsonFormat.printer().alwaysPrintFieldsWithNoPresence().print(message));
      assertThat(Values.json(format, again, Long.MAX_VALUE)).as("seed %d", seed).isEqualTo(json);
    }
  }

  private static DynamicMessage message(Descriptor type, Random random, int depth) {
    DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
    for (FieldDescriptor field : type.getFields()) {
      boolean nested = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
      if (field.isMapField() && depth > 0) {
        message.addRepeatedField(field, message(field.getMessageType(), random, depth - 1));
      } else if (type.getOptions().getMapEntry()
          || random.nextBoolean() && (depth > 0 || !nested)) {
        Object value = value(field, random, depth - 1);
        if (field.isRepeated()) {
          message.addRepeatedField(field, value);
        } else {
          message.setField(field, value);
        }
      }
    }
    return message.build();
  }

  private static Object value(FieldDescriptor field, Random random, int depth) {
    return switch (field.getJavaType()) {
      case INT -> random.nextInt();
      case LONG -> random.nextLong();
      case FLOAT -> random.nextBoolean() ? random.nextFloat() : Float.NEGATIVE_INFINITY;
      case DOUBLE -> random.nextBoolean() ? random.nextDouble() : Double.NaN;
      case BOOLEAN -> random.nextBoolean();
      case STRING -> "ä\"\n" + random.nextInt();
      case BYTE_STRING -> ByteString.copyFromUtf8("?" + random.nextInt());
      case ENUM -> field.getEnumType().getValues().get(random.nextInt(3));
      case MESSAGE -> message(field.getMessageType(), random, depth);
    };
  }
}
