// Plugin of TypeDoc that omits inherited members of classes and inherited methods of interfaces.
// The base type documents them.
import { Converter, ReflectionKind } from "typedoc";

export function load({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    const members = project.getReflectionsByKind(
      ReflectionKind.ClassMember | ReflectionKind.Method,
    );
    for (const member of members) {
      const isInClass = member.parent?.kindOf(ReflectionKind.Class);
      if (member.inheritedFrom && (isInClass || member.kindOf(ReflectionKind.Method)))
        project.removeReflection(member);
    }
  });
}
