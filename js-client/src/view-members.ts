/** View whose topic and options may change. */
export interface Windowed<View, Options> {
  readonly view: View;
  update(topic: string | undefined, options: Options): void;
  close(): void;
}

/** Returns an object with the same members, each of which a function creates from its name. */
export function mapMembers<View extends object, Mapped>(
  view: View,
  create: (name: keyof View) => unknown,
): Mapped {
  const names = Object.keys(view) as (keyof View & string)[];
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Mapped;
}
