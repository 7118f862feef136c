// `npm run demo`: a small repository whose tests fail, a plan over it with four agents at once, and the proof that it is
// done. Exit 0 only if everything that is said at the end is true. `--keep` leaves the repository in place to look around.
import { rmSync } from "node:fs";
import { clone, makeLab } from "./lab.mjs";
import { told } from "./story.mjs";

const lab = makeLab();
const { lockstep, git, suite } = lab;
const isWatched = process.stdout.isTTY === true && process.env.TERM !== "dumb";
const isKept = isWatched || process.argv.includes("--keep");
let isTrue = true;

try {
  await demonstrate();
} finally {
  if (!isKept) rmSync(lab.dir, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = isTrue ? 0 : 1;

async function demonstrate() {
  const before = checkout();
  console.log(`A library whose tests fail: ${suite(lab.repository).said}.`);
  console.log(
    "Ten tasks, four agents at once, each in a git worktree of its own. One asks something; the demo answers it.",
  );
  if (isKept) console.log(`Look in from another terminal: cd ${lab.repository} && ../lockstep status`);

  command("plan load plan.yaml");
  if (!claim("the plan is loaded", lockstep("plan", "load", "plan.yaml").status === 0)) return;
  command("run");
  const code = await lab.run(answerFor);
  if (!claim(`\`lockstep run\` ended with ${code}`, code === 0)) return;

  heading("What happened");
  for (const { text, ok } of told(lab.events())) claim(text, ok);

  heading("What landed");
  command("log --oneline --graph lockstep/till", "git");
  console.log(git("log", "--oneline", "--graph", "lockstep/till"));
  const fresh = suite(clone(lab));
  claim(`the suite in a fresh clone of lockstep/till: ${fresh.said}`, fresh.ok);
  claim("your checkout is on main, as it was: its branch and its files are untouched", checkout() === before);

  command("prove");
  claim("git and the store prove it", lockstep("prove").status === 0);

  heading("What to try next");
  console.log(
    isKept ? aroundHere() : "npm run demo -- --keep leaves the repository in place, and says how to look around.",
  );
}

/** Branch, commit and files of the person's own checkout. */
function checkout() {
  return [git("symbolic-ref", "HEAD"), git("rev-parse", "main"), git("status", "--porcelain")].join("\n");
}

/** Between a question and its answer there is time to see it on the screen. */
function answerFor({ id, default_option }) {
  if (!isWatched) console.error(`          the demo answers: lockstep answer ${id} ${default_option}`);
  return default_option;
}

function aroundHere() {
  const shell = `cd ${lab.repository}`;
  const words = [
    [shell, ""],
    ["../lockstep status", "how the plan stands"],
    ["../lockstep task show T-1", "its two attempts, and why the first was sent back"],
    ["../lockstep logs T-1", "what its agent printed"],
    ["../lockstep diff T-1", "what it landed"],
    ["../lockstep finish --into main", "bring it all to main"],
    [`rm -rf ${lab.dir}`, "when you have seen enough"],
  ];
  const width = Math.max(...words.map(([text]) => text.length));
  return words.map(([text, what]) => `  ${text.padEnd(width)}  ${what}`.trimEnd()).join("\n");
}

function command(words, program = "lockstep") {
  console.log(`\n$ ${program} ${words}`);
}

function heading(text) {
  console.log(`\n${text}`);
}

function claim(text, ok) {
  console.log(`${ok ? "✓" : "✗"} ${text}`);
  isTrue &&= ok;
  return ok;
}
