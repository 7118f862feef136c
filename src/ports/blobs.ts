/** Bulk (check output, transcripts, briefs) lies in files; a row of the store holds only the name. */
export interface Blobs {
  /** The absolute path of a blob on this node, its folder made. Names are `<kind>/<aa>/<rest>`, never a path of the machine. */
  path(name: string): Promise<string>;
  /** The absolute path of a blob that is on this node, or null. Makes nothing. */
  find(name: string): Promise<string | null>;
  /** At most the last so many bytes of a blob; null when it is not on this node. */
  end(name: string, bytes: number): Promise<Uint8Array | null>;
  /** Writes a small text blob and answers its path. */
  write(name: string, text: string): Promise<string>;
}
