package io.sluice.gateway.broker.registry;

import com.fasterxml.jackson.core.JsonGenerator;
import com.google.protobuf.AnyProto;
import com.google.protobuf.ApiProto;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.DescriptorProtos;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DurationProto;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.EmptyProto;
import com.google.protobuf.FieldMaskProto;
import com.google.protobuf.SourceContextProto;
import com.google.protobuf.StructProto;
import com.google.protobuf.TimestampProto;
import com.google.protobuf.TypeProto;
import com.google.protobuf.WrappersProto;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Values of a .proto file: the indexes of the message in the file, and the message. The first
 * message of the file is published.
 */
final class ProtobufFormat implements ValueFormat {
  private static final String ROOT = "value.proto";

  /** Import that declares only options. */
  private static final String META = "confluent/meta.proto";

  private static final Map<String, FileDescriptor> KNOWN =
      Stream.of(
              AnyProto.getDescriptor(),
              ApiProto.getDescriptor(),
              DescriptorProtos.getDescriptor(),
              DurationProto.getDescriptor(),
              EmptyProto.getDescriptor(),
              FieldMaskProto.getDescriptor(),
              SourceContextProto.getDescriptor(),
              StructProto.getDescriptor(),
              TimestampProto.getDescriptor(),
              TypeProto.getDescriptor(),
              WrappersProto.getDescriptor())
          .collect(Collectors.toMap(FileDescriptor::getFullName, Function.identity()));

  /** Files that a registry does not store. */
  private static final Map<String, String> TEXTS =
      Map.of(
          "confluent/type/decimal.proto",
          "syntax = \"proto3\"; package confluent.type;"
              + "message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }");

  private final FileDescriptor file;

  /** Messages that an Any may contain, by their full name. */
  private final Map<String, Descriptor> messages = new HashMap<>();

  private ProtobufFormat(FileDescriptor file, Map<String, FileDescriptor> all) {
    this.file = file;
    KNOWN.values().forEach(each -> addMessages(each.getMessageTypes()));
    all.values().forEach(each -> addMessages(each.getMessageTypes()));
  }

  private void addMessages(List<Descriptor> added) {
    for (Descriptor each : added) {
      messages.put(each.getFullName(), each);
      addMessages(each.getNestedTypes());
    }
  }

  /**
   * Parses a .proto file.
   *
   * @param references texts of the files that it imports, by name
   */
  static ProtobufFormat of(String text, Map<String, String> references) throws UnusableSchema {
    Map<String, String> texts = new HashMap<>(TEXTS);
    texts.putAll(references);
    texts.put(ROOT, text);
    Map<String, FileDescriptor> built = new HashMap<>();
    return new ProtobufFormat(build(ROOT, texts, built), built);
  }

  private static FileDescriptor build(
      String name, Map<String, String> texts, Map<String, FileDescriptor> built)
      throws UnusableSchema {
    String text = texts.get(name);
    if (text == null && KNOWN.containsKey(name)) {
      return KNOWN.get(name);
    }
    if (text == null) {
      throw new UnusableSchema("it imports " + name + ", which is no reference");
    }
    if (built.containsKey(name)) {
      if (built.get(name) == null) {
        throw new UnusableSchema("it imports itself by " + name);
      }
      return built.get(name);
    }
    built.put(name, null);
    FileDescriptorProto proto = withoutMeta(ProtoParser.parse(name, text));
    FileDescriptor[] dependencies = new FileDescriptor[proto.getDependencyCount()];
    for (int i = 0; i < dependencies.length; i++) {
      dependencies[i] = build(proto.getDependency(i), texts, built);
    }
    try {
      FileDescriptor file = FileDescriptor.buildFrom(proto, dependencies);
      built.put(name, file);
      return file;
    } catch (DescriptorValidationException e) {
      throw new UnusableSchema("its schema is malformed", e);
    }
  }

  private static FileDescriptorProto withoutMeta(FileDescriptorProto proto) {
    int index = proto.getDependencyList().indexOf(META);
    if (index < 0) {
      return proto;
    }
    List<String> dependencies = new ArrayList<>(proto.getDependencyList());
    dependencies.remove(index);
    List<Integer> published =
        proto.getPublicDependencyList().stream()
            .filter(each -> each != index)
            .map(each -> each > index ? each - 1 : each)
            .toList();
    return proto.toBuilder()
        .clearDependency()
        .addAllDependency(dependencies)
        .clearPublicDependency()
        .addAllPublicDependency(published)
        .build();
  }

  @Override
  public void read(ByteBuffer value, JsonGenerator out) throws IOException {
    CodedInputStream in = CodedInputStream.newInstance(value);
    Descriptor type = message(in);
    DynamicMessage message = DynamicMessage.parseFrom(type, in);
    new ProtobufReading(out, messages).write(message, 0);
  }

  /** Reads the path of indexes to a message; no index is the first message. */
  private Descriptor message(CodedInputStream in) throws IOException {
    int size = in.readSInt32();
    if (size < 0 || size > MAX_DEPTH) {
      throw new IOException("it has " + size + " indexes of a message");
    }
    Descriptor type = null;
    for (int i = 0; i < Math.max(1, size); i++) {
      int index = size == 0 ? 0 : in.readSInt32();
      List<Descriptor> types = type == null ? file.getMessageTypes() : type.getNestedTypes();
      if (index < 0 || index >= types.size()) {
        throw new IOException("the schema has no message " + index);
      }
      type = types.get(index);
    }
    return type;
  }

  @Override
  public void write(Object json, OutputStream out) throws IOException {
    if (file.getMessageTypes().isEmpty()) {
      throw new Mismatch("", "cannot be written: the schema has no message");
    }
    DynamicMessage message =
        new ProtobufWriting(messages).message(file.getMessageTypes().get(0), json, "");
    out.write(0);
    message.writeTo(out);
  }
}
