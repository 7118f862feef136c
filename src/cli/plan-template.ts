/** The plan that `lockstep init` writes where there is none: small, real, and commented. */
export const PLAN_TEMPLATE = `# A plan: tasks that wait for each other. \`lockstep plan check plan.yaml\` checks it, \`lockstep plan load plan.yaml\` loads it.
plan: example
tasks:
  - id: T-1
    title: Write hello.txt
    prompt: Write a file hello.txt with one friendly line.
    # Run by lockstep itself when the work is said to be done: green is verified.
    verify: test -s hello.txt
    files_owned: [hello.txt]

  - id: T-2
    title: Write a reply
    prompt: Read hello.txt and answer it in reply.txt.
    # Starts when T-1 is verified, and not before.
    depends_on: [T-1]
    verify: [test -s reply.txt, {run: grep -q . reply.txt, timeout: 10s}]
    files_owned: [reply.txt]
`;
