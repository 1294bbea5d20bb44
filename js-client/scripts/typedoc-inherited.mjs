// Plugin of TypeDoc that omits inherited members of classes, which the base class documents.
import { Converter, ReflectionKind } from "typedoc";

export function load({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const member of project.getReflectionsByKind(ReflectionKind.ClassMember)) {
      if (member.inheritedFrom && member.parent?.kindOf(ReflectionKind.Class))
        project.removeReflection(member);
    }
  });
}
