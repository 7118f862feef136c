/** A task's id as one argument of a command that can be copied into a shell. */
export function shellWord(id: string): string {
  const word = /^[\w./:@%+=,-]+$/.test(id) ? id : `'${id.replaceAll("'", "'\\''")}'`;
  return id.startsWith("-") ? `-- ${word}` : word;
}
