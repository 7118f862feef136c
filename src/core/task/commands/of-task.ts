/** What a command is about when it is about one task. */

export interface OfTask {
  plan: string;
  task: string;
}
