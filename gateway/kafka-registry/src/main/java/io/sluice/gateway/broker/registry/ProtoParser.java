package io.sluice.gateway.broker.registry;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.Edition;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.MessageOptions;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Parser of the messages and enums of a .proto file, because registries have texts, and the library
 * has no parser. Skips services, extensions, and options that do not change values. Used once, by
 * one thread.
 */
final class ProtoParser {
  private static final Map<String, Type> SCALARS =
      Stream.of(Type.values())
          .filter(
              each -> !Set.of(Type.TYPE_MESSAGE, Type.TYPE_ENUM, Type.TYPE_GROUP).contains(each))
          .collect(
              Collectors.toMap(
                  each -> each.name().substring("TYPE_".length()).toLowerCase(Locale.ROOT),
                  Function.identity()));

  private static final Map<String, Label> LABELS =
      Map.of(
          "optional",
          Label.LABEL_OPTIONAL,
          "required",
          Label.LABEL_REQUIRED,
          "repeated",
          Label.LABEL_REPEATED);

  private static final Set<String> SKIPPED =
      Set.of("option", "reserved", "extensions", "extend", "service");
  private static final String PROTO3 = "proto3";

  private final ProtoTokens tokens;
  private final FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder();

  private ProtoParser(ProtoTokens tokens) {
    this.tokens = tokens;
  }

  /** Message whose body is being parsed. */
  private static final class Body {
    final DescriptorProto.Builder message;

    /** Added after the declared messages, because Confluent's index of a message counts those. */
    final List<DescriptorProto> synthetic = new ArrayList<>();

    /** Fields with a synthetic oneof, which follows the declared ones. */
    final List<FieldDescriptorProto.Builder> optional = new ArrayList<>();

    Body(String name) {
      message = DescriptorProto.newBuilder().setName(name);
    }

    DescriptorProto build() {
      for (FieldDescriptorProto.Builder field : optional) {
        field.setProto3Optional(true).setOneofIndex(message.getOneofDeclCount());
        message.addOneofDecl(OneofDescriptorProto.newBuilder().setName('_' + field.getName()));
      }
      return message.addAllNestedType(synthetic).build();
    }
  }

  /** Parses a file. */
  static FileDescriptorProto parse(String name, String text) throws UnusableSchema {
    ProtoParser parser = new ProtoParser(new ProtoTokens(text));
    parser.file.setName(name);
    while (!parser.tokens.isEnd()) {
      parser.statement();
    }
    return parser.file.build();
  }

  private void statement() throws UnusableSchema {
    String first = tokens.take();
    switch (first) {
      case ";" -> {}
      case "syntax" -> syntax();
      case "edition" -> edition();
      case "package" -> {
        file.setPackage(tokens.take());
        tokens.require(";");
      }
      case "import" -> dependency();
      case "message" -> file.addMessageType(message());
      case "enum" -> file.addEnumType(enumeration());
      default -> skip(first);
    }
  }

  private void skip(String first) throws UnusableSchema {
    if (!SKIPPED.contains(first)) {
      throw new UnusableSchema("the .proto file has an unknown statement " + first);
    }
    if (first.equals("option")) {
      tokens.skipTo(Set.of(";"));
      tokens.require(";");
    } else {
      tokens.skipStatement();
    }
  }

  private void syntax() throws UnusableSchema {
    tokens.require("=");
    file.setSyntax(tokens.takeText());
    tokens.require(";");
  }

  private void edition() throws UnusableSchema {
    tokens.require("=");
    String name = tokens.takeText();
    tokens.require(";");
    try {
      file.setSyntax("editions").setEdition(Edition.valueOf("EDITION_" + name));
    } catch (IllegalArgumentException e) {
      throw new UnusableSchema("the .proto file has an unknown edition " + name);
    }
  }

  private void dependency() throws UnusableSchema {
    if (tokens.takeIf("public")) {
      file.addPublicDependency(file.getDependencyCount());
    } else {
      tokens.takeIf("weak");
    }
    file.addDependency(tokens.takeText());
    tokens.require(";");
  }

  private DescriptorProto message() throws UnusableSchema {
    return body(new Body(tokens.take()));
  }

  private DescriptorProto body(Body body) throws UnusableSchema {
    tokens.require("{");
    while (!tokens.takeIf("}")) {
      member(body);
    }
    return body.build();
  }

  private void member(Body body) throws UnusableSchema {
    String first = tokens.take();
    switch (first) {
      case ";" -> {}
      case "message" -> body.message.addNestedType(message());
      case "enum" -> body.message.addEnumType(enumeration());
      case "oneof" -> oneof(body);
      case "option", "reserved", "extensions", "extend" -> skip(first);
      default -> field(body, first);
    }
  }

  private void oneof(Body body) throws UnusableSchema {
    int index = body.message.getOneofDeclCount();
    body.message.addOneofDecl(OneofDescriptorProto.newBuilder().setName(tokens.take()));
    tokens.require("{");
    while (!tokens.takeIf("}")) {
      String first = tokens.take();
      if (first.equals("option")) {
        skip(first);
      } else if (!first.equals(";")) {
        add(body, declared(body, first).setLabel(Label.LABEL_OPTIONAL).setOneofIndex(index));
      }
    }
  }

  private void field(Body body, String first) throws UnusableSchema {
    Label label = LABELS.get(first);
    String type = label == null ? first : tokens.take();
    FieldDescriptorProto.Builder field = declared(body, type);
    if (!field.hasLabel()) {
      field.setLabel(label == null ? Label.LABEL_OPTIONAL : label);
    }
    if (label == Label.LABEL_OPTIONAL && file.getSyntax().equals(PROTO3)) {
      body.optional.add(field);
      body.message.addField(field); // replaced below, because builders are copied
      int index = body.message.getFieldCount() - 1;
      body.optional.set(body.optional.size() - 1, body.message.getFieldBuilder(index));
    } else {
      add(body, field);
    }
  }

  private static void add(Body body, FieldDescriptorProto.Builder field) {
    body.message.addField(field);
  }

  /** Parses a field from its type on. */
  private FieldDescriptorProto.Builder declared(Body body, String type) throws UnusableSchema {
    FieldDescriptorProto.Builder field = FieldDescriptorProto.newBuilder();
    if (type.equals("map") && tokens.takeIf("<")) {
      return map(body, field);
    }
    boolean group = type.equals("group");
    if (!group) {
      setType(field, type);
    }
    String name = tokens.take();
    field.setName(group ? name.toLowerCase(Locale.ROOT) : name);
    number(field);
    if (group) {
      field.setType(Type.TYPE_GROUP).setTypeName(name);
      body.synthetic.add(body(new Body(name)));
    } else {
      tokens.require(";");
    }
    return field;
  }

  private FieldDescriptorProto.Builder map(Body body, FieldDescriptorProto.Builder field)
      throws UnusableSchema {
    FieldDescriptorProto.Builder key = FieldDescriptorProto.newBuilder().setName("key");
    FieldDescriptorProto.Builder value = FieldDescriptorProto.newBuilder().setName("value");
    setType(key, tokens.take());
    tokens.require(",");
    setType(value, tokens.take());
    tokens.require(">");
    String name = tokens.take();
    String entry = entryName(name);
    field.setName(name).setLabel(Label.LABEL_REPEATED).setTypeName(entry);
    field.setType(Type.TYPE_MESSAGE);
    number(field);
    tokens.require(";");
    body.synthetic.add(
        DescriptorProto.newBuilder()
            .setName(entry)
            .addField(key.setNumber(1).setLabel(Label.LABEL_OPTIONAL))
            .addField(value.setNumber(2).setLabel(Label.LABEL_OPTIONAL))
            .setOptions(MessageOptions.newBuilder().setMapEntry(true))
            .build());
    return field;
  }

  /** Returns the name of a map's entries, as protoc forms it. */
  private static String entryName(String field) {
    return Stream.of(field.split("_"))
        .filter(part -> !part.isEmpty())
        .map(part -> part.substring(0, 1).toUpperCase(Locale.ROOT) + part.substring(1))
        .collect(Collectors.joining("", "", "Entry"));
  }

  private static void setType(FieldDescriptorProto.Builder field, String type) {
    Type scalar = SCALARS.get(type);
    if (scalar == null) {
      field.setTypeName(type); // the library determines whether it is a message or an enum
    } else {
      field.setType(scalar);
    }
  }

  private void number(FieldDescriptorProto.Builder field) throws UnusableSchema {
    tokens.require("=");
    field.setNumber(tokens.takeNumber());
    if (tokens.takeIf("[")) {
      do {
        option(field);
      } while (tokens.takeIf(","));
      tokens.require("]");
    }
  }

  private void option(FieldDescriptorProto.Builder field) throws UnusableSchema {
    String name = tokens.peek();
    tokens.skipTo(Set.of("="));
    tokens.require("=");
    switch (name) {
      case "json_name" -> field.setJsonName(tokens.takeText());
      case "packed" -> field.getOptionsBuilder().setPacked(tokens.take().equals("true"));
      default -> tokens.skipTo(Set.of(",", "]"));
    }
  }

  private EnumDescriptorProto enumeration() throws UnusableSchema {
    EnumDescriptorProto.Builder type = EnumDescriptorProto.newBuilder().setName(tokens.take());
    tokens.require("{");
    while (!tokens.takeIf("}")) {
      String first = tokens.take();
      if (first.equals("option") || first.equals("reserved")) {
        skip(first);
      } else if (!first.equals(";")) {
        tokens.require("=");
        type.addValue(
            EnumValueDescriptorProto.newBuilder().setName(first).setNumber(tokens.takeNumber()));
        tokens.skipTo(Set.of(";"));
        tokens.require(";");
      }
    }
    return type.build();
  }
}
