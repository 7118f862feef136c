#!/usr/bin/env node
/** The command line's entry. It is small, because it alone is compiled at every start. */

import { join } from "node:path";
import { stateDirOf } from "../compose/paths.ts";
import { keepCompiledCode } from "./compiled-code.ts";

const argv = process.argv.slice(2);

// An agent leaves nothing behind that an operator's command would run.
if (process.env["LOCKSTEP_ATTEMPT"] === undefined) keepCompiledCode(join(stateDirOf(process.env), "code"), argv);

// No top-level await: a command that is loaded meanwhile would wait for the very chunk that waits for it.
void import("./command-line.ts")
  .then(({ main }) => main(argv, process.env))
  .then((code) => {
    process.exitCode = code;
  });
