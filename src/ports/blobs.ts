/** Bulk (check output, transcripts, briefs) lies in files; a row of the store holds only the name. */
export interface Blobs {
  /** The absolute path of a blob on this node, its folder made. Names are `<kind>/<aa>/<rest>`, never a path of the machine. */
  path(name: string): Promise<string>;
  /** Writes a small text blob and answers its path. */
  write(name: string, text: string): Promise<string>;
}
