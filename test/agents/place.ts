/** Where the command line of a test has its home and its settings. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Place {
  base: string;
  /** Makes a file below `base` and gives its path. */
  write(name: string, text: string): string;
}

export function placeIn(base: string): Place {
  const write = (name: string, text: string): string => {
    const file = join(base, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  return { base, write };
}
