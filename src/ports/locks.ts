/** Locks between processes that the kernel frees when their holder dies. */
export interface Locks {
  /** Takes the lock that this file stands for, waiting at most `waitMs`; null when another process kept it for so long. */
  acquire(file: string, waitMs: number): Promise<Release | null>;
}

export type Release = () => void;
