/** What a form of declaration finds. */
export interface Declared {
  name: string;
  from: number;
  /** Where the body begins. */
  bodyFrom: number;
  to: number;
}
