/** View whose topic and options may change. */
export interface Windowed<View, Options> {
  readonly view: View;
  update(topic: string | undefined, options: Options): void;
  close(): void;
}

/** Returns an object with the same members, each of which a function creates from its name. */
export function mapMembers<View extends object>(
  view: View,
  create: (name: keyof View) => unknown,
): Record<keyof View, unknown> {
  const names = Object.keys(view) as (keyof View & string)[];
  const members = Object.fromEntries(names.map((name) => [name, create(name)]));
  return members as Record<keyof View, unknown>;
}
