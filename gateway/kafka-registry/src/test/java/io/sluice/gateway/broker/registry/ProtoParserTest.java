package io.sluice.gateway.broker.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.protobuf.AnyProto;
import com.google.protobuf.ApiProto;
import com.google.protobuf.DescriptorProtos;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DurationProto;
import com.google.protobuf.EmptyProto;
import com.google.protobuf.FieldMaskProto;
import com.google.protobuf.JavaFeaturesProto;
import com.google.protobuf.SourceContextProto;
import com.google.protobuf.StructProto;
import com.google.protobuf.TimestampProto;
import com.google.protobuf.TypeProto;
import com.google.protobuf.WrappersProto;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares parsed files with the descriptors that protoc made of them, and with random ones. */
final class ProtoParserTest {
  private static final List<String> SCALARS =
      List.of("int32", "uint64", "sint32", "fixed64", "bool", "string", "bytes", "double", "float");

  static Stream<FileDescriptor> compiledFiles() {
    return Stream.of(
        AnyProto.getDescriptor(),
        ApiProto.getDescriptor(),
        DescriptorProtos.getDescriptor(),
        DurationProto.getDescriptor(),
        EmptyProto.getDescriptor(),
        FieldMaskProto.getDescriptor(),
        JavaFeaturesProto.getDescriptor(),
        SourceContextProto.getDescriptor(),
        StructProto.getDescriptor(),
        TimestampProto.getDescriptor(),
        TypeProto.getDescriptor(),
        WrappersProto.getDescriptor());
  }

  private static String text(FileDescriptor file) throws IOException {
    try (InputStream in =
        FileDescriptor.class.getClassLoader().getResourceAsStream(file.getFullName())) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private static FileDescriptor parsed(String text, List<FileDescriptor> dependencies)
      throws Exception {
    FileDescriptorProto proto = ProtoParser.parse("parsed.proto", text);
    return FileDescriptor.buildFrom(proto, dependencies.toArray(FileDescriptor[]::new));
  }

  /** Returns what values depend on, in the order of the file. */
  private static List<String> described(FileDescriptor file) {
    List<String> lines = new ArrayList<>();
    lines.add("package " + file.getPackage());
    file.getMessageTypes().forEach(each -> describe(each, lines));
    file.getEnumTypes().forEach(each -> describe(each, lines));
    return lines;
  }

  private static void describe(Descriptor type, List<String> lines) {
    lines.add("message " + type.getFullName() + ' ' + type.getOptions().getMapEntry());
    for (FieldDescriptor field : type.getFields()) {
      String referred =
          switch (field.getJavaType()) {
            case MESSAGE -> field.getMessageType().getFullName();
            case ENUM -> field.getEnumType().getFullName();
            default -> "";
          };
      lines.add(
          "field %s %d %s %s %s repeated=%s required=%s packed=%s presence=%s oneof=%s"
              .formatted(
                  field.getName(),
                  field.getNumber(),
                  field.getJsonName(),
                  field.getType(),
                  referred,
                  field.isRepeated(),
                  field.isRequired(),
                  field.isPacked(),
                  field.hasPresence(),
                  field.getContainingOneof() == null ? "" : field.getContainingOneof().getName()));
    }
    type.getEnumTypes().forEach(each -> describe(each, lines));
    type.getNestedTypes().forEach(each -> describe(each, lines));
  }

  private static void describe(EnumDescriptor type, List<String> lines) {
    lines.add("enum " + type.getFullName());
    type.getValues().forEach(each -> lines.add(each.getName() + " = " + each.getNumber()));
  }

  @ParameterizedTest
  @MethodSource("compiledFiles")
  void shouldParseFilesAsTheirCompilerDid(FileDescriptor compiled) throws Exception {
    FileDescriptor found = parsed(text(compiled), compiled.getDependencies());
    assertThat(described(found)).containsExactlyElementsOf(described(compiled));
  }

  @Test
  void shouldParseWhatIsPrintedOfRandomFiles() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      FileDescriptorProto proto = new RandomFile(random).proto();
      FileDescriptor made = FileDescriptor.buildFrom(proto, new FileDescriptor[0]);
      String text = new ProtoText(random).of(proto);
      assertThat(described(parsed(text, List.of())))
          .as("seed %d:%n%s", seed, text)
          .containsExactlyElementsOf(described(made));
    }
  }

  /** Any text ends in a schema or in its refusal. */
  @Test
  void shouldRefuseDamagedFiles() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    String alphabet = "{}[]()<>=;,.\"'/*-\n message oneof map<string, 1 option é\\";
    for (int i = 0; i < 2_000; i++) {
      StringBuilder text =
          new StringBuilder(new ProtoText(random).of(new RandomFile(random).proto()));
      for (int edits = 1 + random.nextInt(4); edits > 0 && !text.isEmpty(); edits--) {
        int at = random.nextInt(text.length());
        int character = random.nextInt(alphabet.length());
        switch (random.nextInt(3)) {
          case 0 -> text.deleteCharAt(at);
          case 1 -> text.insert(at, alphabet.charAt(character));
          default -> text.setLength(Math.max(1, at));
        }
      }
      assertThatCode(() -> parseOrRefuse(text.toString()))
          .as("seed %d:%n%s", seed, text)
          .doesNotThrowAnyException();
    }
  }

  private static void parseOrRefuse(String text) {
    try {
      ProtobufFormat.of(text, Map.of());
    } catch (UnusableSchema e) {
      assertThat(e).hasMessageNotContaining("null");
    }
  }

  /** Random descriptors of proto3. */
  private static final class RandomFile {
    private final Random random;
    private int names;

    RandomFile(Random random) {
      this.random = random;
    }

    FileDescriptorProto proto() {
      FileDescriptorProto.Builder file =
          FileDescriptorProto.newBuilder().setName("a.proto").setSyntax("proto3").setPackage("a.b");
      file.addEnumType(enumeration("Top"));
      for (int i = random.nextInt(3); i >= 0; i--) {
        file.addMessageType(message("M" + i, 2));
      }
      return file.build();
    }

    private EnumDescriptorProto enumeration(String name) {
      EnumDescriptorProto.Builder type = EnumDescriptorProto.newBuilder().setName(name);
      for (int i = 0; i <= random.nextInt(3); i++) {
        type.addValue(
            EnumValueDescriptorProto.newBuilder()
                .setName("V" + names++)
                .setNumber(i == 0 ? 0 : random.nextInt(2) * 1_000 - i));
      }
      return type.build();
    }

    private DescriptorProto message(String name, int depth) {
      DescriptorProto.Builder type = DescriptorProto.newBuilder().setName(name);
      int fields = random.nextInt(5);
      int oneof = random.nextInt(3);
      if (oneof > 0) {
        type.addOneofDeclBuilder().setName("choice");
      }
      for (int i = 1; i <= oneof + fields; i++) {
        FieldDescriptorProto.Builder field = field(i);
        if (i <= oneof) {
          field.setOneofIndex(0);
        } else if (random.nextBoolean()) {
          field.setLabel(FieldDescriptorProto.Label.LABEL_REPEATED);
        }
        type.addField(field);
      }
      if (random.nextBoolean()) {
        type.addEnumType(enumeration("E"));
      }
      if (depth > 0 && random.nextBoolean()) {
        type.addNestedType(message("N", depth - 1));
      }
      return type.build();
    }

    private FieldDescriptorProto.Builder field(int number) {
      FieldDescriptorProto.Builder field =
          FieldDescriptorProto.newBuilder()
              .setName("field_" + number + "x")
              .setNumber(number * (1 + random.nextInt(50)) % 18_000 + 1_000 * number)
              .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL);
      int kind = random.nextInt(SCALARS.size() + 2);
      if (kind < SCALARS.size()) {
        field.setType(
            FieldDescriptorProto.Type.valueOf(
                "TYPE_" + SCALARS.get(kind).toUpperCase(Locale.ROOT)));
      } else {
        field.setTypeName(kind == SCALARS.size() ? ".a.b.Top" : ".a.b.M0");
      }
      if (random.nextInt(4) == 0) {
        field.setJsonName("json-" + number);
      }
      return field;
    }
  }

  /** Text of descriptors, with random white space and comments. */
  private static final class ProtoText {
    private final Random random;
    private final StringBuilder text = new StringBuilder();

    ProtoText(Random random) {
      this.random = random;
    }

    String of(FileDescriptorProto file) {
      add("syntax", "=", '"' + file.getSyntax() + '"', ";", "package", file.getPackage(), ";");
      add("option", "java_package", "=", "\"x;}\"", ";");
      file.getMessageTypeList().forEach(this::add);
      add(
          "service", "S", "{", "rpc", "R", "(", "M0", ")", "returns", "(", "M0", ")", "{", "}",
          "}");
      file.getEnumTypeList().forEach(this::add);
      return text.toString();
    }

    private void add(String... tokens) {
      for (String token : tokens) {
        text.append(token);
        text.append(
            switch (random.nextInt(5)) {
              case 0 -> "\n";
              case 1 -> " // } ; \"\n";
              case 2 -> " /* message X { */ ";
              default -> " ";
            });
      }
    }

    private void add(DescriptorProto type) {
      add("message", type.getName(), "{", "reserved", "90000", "to", "max", ";");
      if (type.getOneofDeclCount() > 0) {
        add("oneof", type.getOneofDecl(0).getName(), "{");
        type.getFieldList().stream().filter(f -> f.hasOneofIndex()).forEach(this::add);
        add("}");
      }
      type.getFieldList().stream().filter(f -> !f.hasOneofIndex()).forEach(this::add);
      type.getEnumTypeList().forEach(this::add);
      type.getNestedTypeList().forEach(this::add);
      add("}");
    }

    private void add(FieldDescriptorProto field) {
      if (field.getLabel() == FieldDescriptorProto.Label.LABEL_REPEATED) {
        add("repeated");
      }
      String type = field.getType().name().substring("TYPE_".length()).toLowerCase(Locale.ROOT);
      add(field.hasTypeName() ? field.getTypeName() : type, field.getName(), "=");
      add("" + field.getNumber());
      if (field.hasJsonName()) {
        add("[", "deprecated", "=", "true", ",", "json_name", "=", "'" + field.getJsonName() + "'");
        add("]");
      }
      add(";");
    }

    private void add(EnumDescriptorProto type) {
      add("enum", type.getName(), "{", "option", "allow_alias", "=", "true", ";");
      for (EnumValueDescriptorProto value : type.getValueList()) {
        add(value.getName(), "=", "" + value.getNumber(), ";");
      }
      add("}");
    }
  }
}
