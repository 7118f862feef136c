import type { OptionSpec } from "./command.ts";

/** Options of every command. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { name: "plan", value: "NAME", summary: "The plan, where the project has several" },
  { name: "store", value: "FILE", summary: "Another store than the configured one" },
  { name: "cwd", short: "C", value: "DIR", summary: "Work as if started in DIR" },
  { name: "json", summary: "One JSON document on stdout, or JSON lines for streams" },
  { name: "help", short: "h", summary: "Show help" },
  { name: "version", short: "V", summary: "Show the version" },
];
