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
  /**
   * What lies below a kind's folder, so many names deep: files, and whole folders with all that is in them. `attempts`, 3
   * are the folders of attempts.
   */
  list(kind: string, depth: number): AsyncIterable<KeptBlob>;
  /** Removes a blob, or a whole folder as `list` names it. One that is not there is no error. */
  remove(name: string): Promise<void>;
}

export interface KeptBlob {
  name: string;
  /** Of a folder: of all files in it. */
  bytes: number;
  /** When it was changed last, milliseconds since 1970; of a folder: when anything in it was. */
  changed_at: number;
}
