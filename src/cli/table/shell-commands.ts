import type { CommandSpec } from "../command.ts";

export const SHELL_COMMANDS: readonly CommandSpec[] = [
  {
    name: "completion",
    summary: "Print the completion script of a shell",
    arguments: [{ name: "SHELL", required: true, summary: "bash, zsh, fish or powershell" }],
    options: [],
    examples: [{ command: "completion bash > ~/.local/share/bash-completion/completions/lockstep", what: "for bash" }],
    effect: "reads",
    load: () => import("../commands/completion.ts"),
  },
  {
    name: "complete",
    summary: "Answer a shell's question for completions",
    arguments: [{ name: "WORDS", required: false, many: true, summary: "What has been written so far" }],
    options: [],
    examples: [],
    effect: "reads",
    hidden: true,
    load: () => import("../commands/completion.ts"),
  },
];
