/** Values of configured variables may name those of lockstep's own environment, so that no secret stands in a file. */

export interface Expanded {
  /** References to variables that are not set are empty in it. */
  value: string;
  /** Names of the variables that it refers to, in their order. */
  names: string[];
}

/** `$NAME` or `${NAME}`; `$$` is a dollar sign, and so is one that no name follows. */
const REFERENCE = /\$(?:\$|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

export function expandReferences(text: string, env: Readonly<Record<string, string | undefined>>): Expanded {
  const names: string[] = [];
  const value = text.replaceAll(REFERENCE, (_, braced?: string, plain?: string) => {
    const name = braced ?? plain;
    if (name === undefined) return "$";
    names.push(name);
    return env[name] ?? "";
  });
  return { value, names };
}
